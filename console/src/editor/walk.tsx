const STEPS: [string, string][] = [
  ["previous", "Previous"],
  ["next", "Next"],
  ["inside", "Inside"],
  ["around", "Around"],
];

/** Choosing elements with keys: from the chosen one to those next to it. */
export function Walk({ onWalk }: { onWalk: (to: string) => void }) {
  return (
    <fieldset class="walk">
      <legend class="unseen">Choose the element next to it</legend>
      {STEPS.map(([to, label]) => (
        <button type="button" key={to} onClick={() => onWalk(to)}>
          {label}
        </button>
      ))}
    </fieldset>
  );
}
