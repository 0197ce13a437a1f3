import { useState } from "preact/hooks";

const SHOWN_MS = 2000;

/** A text to copy: a tag, an address, a secret that is shown once. */
export function Copied({ text, label = "Copy" }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <div class="copied">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable with keys */}
      <pre tabIndex={0}>{text}</pre>
      <button type="button" onClick={() => void copy()}>
        {isCopied ? "Copied" : label}
      </button>
    </div>
  );
}
