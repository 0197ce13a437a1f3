import { useState } from "preact/hooks";
import { Badge } from "../kit/badge.tsx";
import { CodeArea } from "../kit/code_field.tsx";
import { type Action, inShort, type Mutation, moved, without } from "./changes.ts";
import type { Counts } from "./counting.ts";
import type { Part } from "./draft.ts";
import type { EditedPage } from "./page.ts";
import { CountsInLine, OtherPages, SelectorCounts } from "./selector_counts.tsx";

interface ChangeListProps {
  part: Part;
  page: EditedPage;
  counts: Counts;
  off: ReadonlySet<Mutation>;
  isReadOnly: boolean;
  asides: readonly string[];
  onShowAsides: () => void;
  /** Chooses an element without pointing. */
  onStart: () => void;
  onToggle: (mutation: Mutation) => void;
  onChange: (next: Partial<Part>, kind?: string) => void;
}

/** Every change of the variation, in the order in which it is applied. */
export function ChangeList({
  part,
  page,
  counts,
  off,
  isReadOnly,
  asides,
  onShowAsides,
  onStart,
  onToggle,
  onChange,
}: ChangeListProps) {
  const { mutations, css } = part;
  const shown = mutations.filter((each) => !off.has(each));
  return (
    <div class="changes">
      <h2>Changes</h2>
      {!mutations.length && (
        <p class="soft">
          {isReadOnly ? "This variation changes nothing." : "Click something in the page to change it."}
        </p>
      )}
      {!isReadOnly && page.state === "ready" && (
        <button type="button" onClick={onStart}>
          Choose an element with keys
        </button>
      )}
      <ol>
        {mutations.map((mutation, index) => (
          <li key={`${mutation.selector}-${mutation.action}-${index}`}>
            <div class="one-change">
              <button type="button" class="link" onClick={() => page.send("find", { selector: mutation.selector })}>
                {mutation.selector}
              </button>
              <p>{inShort(mutation)}</p>
              {!off.has(mutation) && <Matches count={page.matches[shown.indexOf(mutation)]} />}
              <CountsInLine selector={mutation.selector} counts={counts} />
            </div>
            {!isReadOnly && (
              <div class="tools">
                <label>
                  <input type="checkbox" checked={!off.has(mutation)} onChange={() => onToggle(mutation)} /> shown
                </label>
                <button
                  type="button"
                  disabled={index === 0}
                  aria-label="Earlier"
                  onClick={() => onChange({ mutations: moved(mutations, index, -1) })}
                >
                  ↑
                </button>
                <button
                  type="button"
                  disabled={index === mutations.length - 1}
                  aria-label="Later"
                  onClick={() => onChange({ mutations: moved(mutations, index, 1) })}
                >
                  ↓
                </button>
                <button type="button" onClick={() => onChange({ mutations: without(mutations, index) })}>
                  Delete
                </button>
              </div>
            )}
          </li>
        ))}
      </ol>
      {mutations.length > 0 && <OtherPages counts={counts} url={page.url} />}
      {page.errors.length > 0 && (
        <div class="note bad" role="status">
          {page.errors.map((error) => (
            <p key={error}>{error}</p>
          ))}
        </div>
      )}
      {asides.length > 0 && (
        <p class="soft">
          Hidden while you edit: {asides.join(", ")}{" "}
          <button type="button" class="link" onClick={onShowAsides}>
            Show again
          </button>
        </p>
      )}
      {!isReadOnly && (
        <ByHand counts={counts} onAdd={(mutation) => onChange({ mutations: [...mutations, mutation] })} />
      )}
      <details open={css !== ""}>
        <summary>CSS of this variation</summary>
        <CodeArea
          label="CSS of this variation"
          language="css"
          isReadOnly={isReadOnly}
          value={css}
          onChange={(next) => onChange({ css: next }, "css")}
        />
      </details>
    </div>
  );
}

function Matches({ count }: { count: number | undefined }) {
  if (count === undefined) return null;
  if (count < 0) return <Badge tone="bad">selector is not valid</Badge>;
  if (count === 0) return <Badge tone="warn">not on this page yet</Badge>;
  return <Badge tone="plain">{count === 1 ? "1 element" : `${count} elements`}</Badge>;
}

const ACTIONS: [Action, string][] = [
  ["text", "Text"],
  ["html", "Content (HTML)"],
  ["remove", "Remove"],
  ["insertBefore", "Insert before"],
  ["insertAfter", "Insert after"],
];

/** A change written without pointing at anything: for what the page shows late, or not here. */
function ByHand({ counts, onAdd }: { counts: Counts; onAdd: (mutation: Mutation) => void }) {
  const [selector, setSelector] = useState("");
  const [action, setAction] = useState<Action>("text");
  const [value, setValue] = useState("");
  const add = () => {
    const content = action === "text" ? { text: value } : action === "remove" ? {} : { html: value };
    onAdd({ selector: selector.trim(), action, ...content });
    setSelector("");
    setValue("");
  };
  return (
    <details>
      <summary>Write a change by hand</summary>
      <label class="field">
        Selector
        <input type="text" value={selector} onInput={(event) => setSelector(event.currentTarget.value)} />
      </label>
      {selector.trim() && <SelectorCounts selector={selector.trim()} counts={counts} />}
      <label class="field">
        What it does
        <select value={action} onChange={(event) => setAction(event.currentTarget.value as Action)}>
          {ACTIONS.map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {action === "text" && (
        <label class="field">
          Value
          <textarea rows={3} value={value} onInput={(event) => setValue(event.currentTarget.value)} />
        </label>
      )}
      {action !== "text" && action !== "remove" && (
        <div class="field">
          <span aria-hidden="true">HTML</span>
          <CodeArea label="HTML" language="html" rows={4} value={value} onChange={setValue} />
        </div>
      )}
      <button type="button" disabled={!selector.trim()} onClick={add}>
        Add
      </button>
    </details>
  );
}
