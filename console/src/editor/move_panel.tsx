import { useEffect, useRef } from "preact/hooks";
import type { Mutation } from "./changes.ts";
import { useEscape } from "./keys.ts";
import type { ChosenElement } from "./messages.ts";
import { Walk } from "./walk.tsx";

interface MovePanelProps {
  selector: string;
  /** The element next to which it goes, once it is chosen. */
  target: ChosenElement | null;
  onPlace: (target: string, action: Mutation["action"]) => void;
  onWalk: (to: string) => void;
  onCancel: () => void;
}

/** An element was taken from its place: where does it go? */
export function MovePanel({ selector, target, onPlace, onWalk, onCancel }: MovePanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  useEscape(onCancel);
  const at = target?.selectors[0]?.selector;
  const places: [string, string | undefined, Mutation["action"]][] = [
    ["Before it", at, "insertBefore"],
    ["After it", at, "insertAfter"],
    ["Inside, first", target?.first, "insertBefore"],
    ["Inside, last", target?.last, "insertAfter"],
  ];
  return (
    <div class="element">
      <h2 ref={heading} tabIndex={-1}>
        Move <code>{selector}</code>
      </h2>
      <p>
        {target
          ? "Where does it go?"
          : "It is taken out of the page. Click the element next to which it goes, or choose one with these buttons."}
      </p>
      {!target && (
        <button type="button" onClick={() => onWalk("next")}>
          Start at the top of the page
        </button>
      )}
      {target && (
        <>
          <p class="chosen-place">
            {target.path.slice(-3).join(" › ")}
            {target.isPlain && target.text && <span class="soft"> “{target.text.slice(0, 60)}”</span>}
          </p>
          <Walk onWalk={onWalk} />
          <div class="places">
            {places.map(([label, place, action]) => (
              <button
                type="button"
                key={label}
                class="primary"
                disabled={!place}
                onClick={() => place && onPlace(place, action)}
              >
                {label}
              </button>
            ))}
          </div>
        </>
      )}
      <p class="hint">The copy at the new place has no scripts attached: those that hold on to the element lose it.</p>
      <button type="button" onClick={onCancel}>
        Leave it where it was
      </button>
    </div>
  );
}
