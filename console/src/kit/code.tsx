/** A text as it is, with its spaces. It scrolls inside its box, which keys reach. */
export function Code({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable with keys
    <pre class="code" tabIndex={0}>
      {text}
    </pre>
  );
}
