/** Switches above the page of the editor: what a click does, and how wide the page is. */

const WIDTHS = [
  ["Phone", 360],
  ["Tablet", 768],
  ["Desktop", 1280],
] as const;

export const WIDEST: number = 1280;

export function Clicks({ picks, onChange }: { picks: boolean; onChange: (picks: boolean) => void }) {
  return (
    <fieldset class="switch">
      <legend class="unseen">What a click does</legend>
      <button type="button" aria-pressed={picks} onClick={() => onChange(true)}>
        Select
      </button>
      <button type="button" aria-pressed={!picks} onClick={() => onChange(false)}>
        Use the page
      </button>
    </fieldset>
  );
}

/** Widths in pixels. */
export function Widths({ width, onChange }: { width: number; onChange: (width: number) => void }) {
  return (
    <fieldset class="switch">
      <legend class="unseen">Width of the page</legend>
      {WIDTHS.map(([name, pixels]) => (
        <button
          type="button"
          key={name}
          title={`${pixels} pixels wide`}
          aria-pressed={pixels === width}
          onClick={() => onChange(pixels)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}
