import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";

const GAP = 4;

/** Choices behind one button. The browser closes it outside and with Escape; a choice closes it, too. */
export function Menu({ label, name, children }: { label: string; name?: string; children: ComponentChildren }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  // Made when it is first opened: a list has one in each row.
  const [isMade, setMade] = useState(false);
  const place = () => {
    if (!box.current || !button.current || !box.current.matches(":popover-open")) return;
    const anchor = button.current.getBoundingClientRect();
    const { offsetWidth, offsetHeight, style } = box.current;
    const below = anchor.bottom + GAP;
    const fits = below + offsetHeight <= innerHeight;
    style.top = `${fits ? below : Math.max(GAP, anchor.top - GAP - offsetHeight)}px`;
    style.left = `${Math.max(GAP, Math.min(anchor.right, innerWidth - GAP) - offsetWidth)}px`;
  };
  const chosen = (event: MouseEvent) => {
    if (event.target instanceof Element && event.target.closest("button, a")) box.current?.hidePopover();
  };
  return (
    <>
      <button ref={button} type="button" popovertarget={id} aria-label={name} class={name ? "quiet" : undefined}>
        {label}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it hears the clicks of the buttons inside */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys click the buttons inside */}
      <div
        ref={box}
        id={id}
        popover="auto"
        class="choices-of"
        onBeforeToggle={() => setMade(true)}
        onToggle={place}
        onClick={chosen}
      >
        {isMade && children}
      </div>
    </>
  );
}
