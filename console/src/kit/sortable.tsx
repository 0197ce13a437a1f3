import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface Props<T> {
  label: string;
  items: readonly T[];
  keyOf: (item: T) => string;
  nameOf: (item: T) => string;
  onMove: (items: T[]) => void;
  isFixed?: boolean;
  children: (item: T, index: number) => ComponentChildren;
}

/** A list whose order people change: by dragging, or with the buttons of each item. */
export function Sortable<T>({ label, items, keyOf, nameOf, onMove, isFixed = false, children }: Props<T>) {
  const list = useRef<HTMLOListElement>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  const [said, setSaid] = useState("");
  const focused = useRef<string | null>(null);
  // An item that moves in the page loses the focus: it goes back to the button that moved it.
  useEffect(() => {
    if (focused.current) list.current?.querySelector<HTMLElement>(`[data-move="${focused.current}"]`)?.focus();
    focused.current = null;
  });
  const move = (from: number, to: number) => {
    const item = items[from];
    if (item === undefined || to < 0 || to >= items.length || from === to) return;
    onMove(moved(items, from, to));
    setSaid(`${nameOf(item)} is now ${to + 1} of ${items.length}`);
  };
  const byKey = (index: number, step: -1 | 1, name: string) => {
    focused.current = name;
    move(index, index + step);
  };
  return (
    <>
      <ol class="sortable" ref={list} aria-label={label}>
        {items.map((item, index) => {
          const key = keyOf(item);
          return (
            <li
              key={key}
              class={dragged === index ? "is-dragged" : undefined}
              draggable={!isFixed}
              onDragStart={() => setDragged(index)}
              onDragEnd={() => setDragged(null)}
              onDragOver={(event) => {
                if (dragged !== null) event.preventDefault();
              }}
              onDrop={(event) => {
                event.preventDefault();
                if (dragged !== null) move(dragged, index);
                setDragged(null);
              }}
            >
              {!isFixed && (
                <span class="movers">
                  <button
                    type="button"
                    class="quiet"
                    data-move={`${key}-up`}
                    aria-label={`Move ${nameOf(item)} up`}
                    aria-disabled={index === 0}
                    onClick={() => byKey(index, -1, `${key}-up`)}
                  >
                    ↑
                  </button>
                  <button
                    type="button"
                    class="quiet"
                    data-move={`${key}-down`}
                    aria-label={`Move ${nameOf(item)} down`}
                    aria-disabled={index === items.length - 1}
                    onClick={() => byKey(index, 1, `${key}-down`)}
                  >
                    ↓
                  </button>
                </span>
              )}
              <div class="sorted">{children(item, index)}</div>
            </li>
          );
        })}
      </ol>
      <p class="unseen" aria-live="polite">
        {said}
      </p>
    </>
  );
}

/** Return the items with one of them at another place. */
export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const rest = items.toSpliced(from, 1);
  return rest.toSpliced(to, 0, items[from] as T);
}
