import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Step } from "./content.ts";

interface Props<T> {
  label: string;
  items: readonly T[];
  /** Which element an item keeps when others move: by its place, unless it has a key of its own. */
  keyOf?: (item: T) => string;
  nameOf: (item: T, place: number) => string;
  onStep: (step: Step) => void;
  least: number;
  most: number;
  /** A button below the list, and what a new entry begins with. */
  add?: { label: string; entry: () => unknown };
  children: (item: T, place: number, tools: Tools) => ComponentChildren;
}

/** The buttons of an item. */
export interface Tools {
  movers: ComponentChildren;
  others: ComponentChildren;
}

/** Where the focus goes after a step: to a tool of an item, or into it. */
interface Next {
  place: number;
  tool: "up" | "down" | "into";
}

/** A list of parts: each is moved with buttons or arrow keys, copied and removed. */
export function Listed<T>({ label, items, keyOf, nameOf, onStep, least, most, add, children }: Props<T>) {
  const list = useRef<HTMLOListElement>(null);
  const next = useRef<Next | null>(null);
  const [said, setSaid] = useState("");
  useLayoutEffect(() => {
    if (!next.current || !list.current) return;
    const { place, tool } = next.current;
    next.current = null;
    const item = list.current.children[Math.min(place, items.length - 1)];
    const inside = tool === "into" ? "summary, input, textarea, select" : `[data-tool="${tool}"]`;
    item?.querySelector<HTMLElement>(inside)?.focus();
  });
  const move = (at: number, by: -1 | 1) => {
    const [to, item] = [at + by, items[at]];
    if (item === undefined || to < 0 || to >= items.length) return;
    next.current = { place: to, tool: by < 0 ? "up" : "down" };
    setSaid(`${nameOf(item, at)} is now ${to + 1} of ${items.length}`);
    onStep({ do: "move", at, to });
  };
  const change = (step: Extract<Step, { do: "remove" | "copy" }>, name: string) => {
    next.current = { place: step.do === "copy" ? step.at + 1 : step.at, tool: "into" };
    setSaid(`${name} is ${step.do === "copy" ? "there twice" : "removed"}`);
    onStep(step);
  };
  return (
    <>
      <ol class="listed" aria-label={label} ref={list}>
        {items.map((item, place) => {
          const name = nameOf(item, place);
          const tool = (kind: "up" | "down", by: -1 | 1, isLast: boolean) => (
            <button
              type="button"
              class="quiet"
              data-tool={kind}
              aria-label={`Move ${name} ${kind}`}
              aria-disabled={isLast}
              onClick={() => move(place, by)}
            >
              {kind === "up" ? "↑" : "↓"}
            </button>
          );
          const movers = items.length > 1 && (
            // biome-ignore lint/a11y/noStaticElementInteractions: it hears the arrow keys of the buttons inside
            <span
              class="listed-tools"
              onKeyDown={(event) => {
                const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] as -1 | 1 | undefined;
                if (!by) return;
                event.preventDefault();
                move(place, by);
              }}
            >
              {tool("up", -1, place === 0)}
              {tool("down", 1, place === items.length - 1)}
            </span>
          );
          const others = (
            <span class="listed-tools">
              {items.length < most && (
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Duplicate ${name}`}
                  onClick={() => change({ do: "copy", at: place }, name)}
                >
                  Duplicate
                </button>
              )}
              {items.length > least && (
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Remove ${name}`}
                  onClick={() => change({ do: "remove", at: place }, name)}
                >
                  Remove
                </button>
              )}
            </span>
          );
          return <li key={keyOf?.(item) ?? place}>{children(item, place, { movers, others })}</li>;
        })}
      </ol>
      <p class="unseen" aria-live="polite">
        {said}
      </p>
      {add && items.length < most && (
        <button
          type="button"
          onClick={() => {
            next.current = { place: items.length, tool: "into" };
            onStep({ do: "add", entry: add.entry() });
          }}
        >
          {add.label}
        </button>
      )}
    </>
  );
}
