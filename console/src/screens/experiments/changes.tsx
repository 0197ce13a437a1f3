import { useId, useState } from "preact/hooks";
import { Problem } from "../../api/problems.ts";
import { CodeArea } from "../../kit/code_field.tsx";
import { useMessages } from "../../kit/form.tsx";
import {
  ACTIONS,
  type Action,
  attributesAsText,
  attributesIn,
  type Mutation,
  stylesAsText,
  stylesIn,
  withAction,
} from "./change_words.ts";

interface ChangesProps {
  mutations: readonly Mutation[];
  onChange: (mutations: Mutation[]) => void;
  /** The path of the list in the body, as errors name it. */
  path?: string;
}

/** The changes of a variation by hand: where, what, and with which value; they apply in this order. */
export function Changes({ mutations, onChange, path = "mutations" }: ChangesProps) {
  const messages = useMessages(path);
  const all = [...mutations];
  const moved = (index: number, step: number) => {
    const next = all.toSpliced(index, 1);
    const change = all[index];
    if (change) onChange(next.toSpliced(index + step, 0, change));
  };
  return (
    <fieldset class="by-hand">
      <legend>Changes</legend>
      {all.length === 0 && <p class="soft">Nothing is changed: visitors see the page as it is.</p>}
      <ol>
        {all.map((change, index) => (
          <li key={index} class="card change">
            <Change
              path={`${path}[${index}]`}
              place={index + 1}
              change={change}
              onChange={(next) => onChange(all.with(index, next))}
            />
            <p class="tools">
              <button
                type="button"
                class="quiet"
                disabled={index === 0}
                aria-label={`Move change ${index + 1} up`}
                onClick={() => moved(index, -1)}
              >
                ↑
              </button>
              <button
                type="button"
                class="quiet"
                disabled={index === all.length - 1}
                aria-label={`Move change ${index + 1} down`}
                onClick={() => moved(index, 1)}
              >
                ↓
              </button>
              <button
                type="button"
                class="quiet"
                aria-label={`Remove change ${index + 1}`}
                onClick={() => onChange(all.toSpliced(index, 1))}
              >
                Remove
              </button>
            </p>
          </li>
        ))}
      </ol>
      {messages.length > 0 && <p class="message">{messages.join(" ")}</p>}
      <p class="tools">
        <button type="button" onClick={() => onChange([...all, { selector: "", action: "text", text: "" }])}>
          Add a change
        </button>
      </p>
    </fieldset>
  );
}

interface ChangeProps {
  path: string;
  place: number;
  change: Mutation;
  onChange: (change: Mutation) => void;
}

function Change({ path, place, change, onChange }: ChangeProps) {
  const id = useId();
  const { needs } = ACTIONS[change.action];
  const messages = [
    ...useMessages(path),
    ...useMessages(`${path}.action`),
    ...useMessages(`${path}.text`),
    ...useMessages(`${path}.html`),
    ...useMessages(`${path}.styles`),
    ...useMessages(`${path}.attributes`),
  ];
  const selectorMessages = useMessages(`${path}.selector`);
  if (!isSelector(change.selector) && !selectorMessages.length) selectorMessages.push(NO_SELECTOR);
  const offered = Object.entries(ACTIONS).filter(([name, { isOlder }]) => !isOlder || name === change.action);
  return (
    <div class="change-parts">
      <div>
        <label for={`${id}-selector`}>Element {place}</label>
        <input
          id={`${id}-selector`}
          class="code-input"
          value={change.selector}
          placeholder="h1"
          spellcheck={false}
          aria-invalid={selectorMessages.length > 0 || undefined}
          aria-describedby={`${id}-hint`}
          onInput={(event) => onChange({ ...change, selector: event.currentTarget.value })}
        />
        <p id={`${id}-hint`} class={selectorMessages.length ? "message" : "hint"}>
          {selectorMessages.join(" ") || "A CSS selector. Every element that it matches is changed."}
        </p>
      </div>
      <div>
        <label for={`${id}-action`}>What happens</label>
        <select
          id={`${id}-action`}
          value={change.action}
          onChange={(event) => onChange(withAction(change, event.currentTarget.value as Action))}
        >
          {offered.map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {needs !== "nothing" && <Value key={needs} id={`${id}-value`} change={change} onChange={onChange} />}
      {messages.length > 0 && <p class="message">{messages.join(" ")}</p>}
    </div>
  );
}

/** Throw a Problem at the first change whose selector no browser understands: it would never be shown. */
export function refuseUnreadable(mutations: readonly Mutation[], path = "mutations"): void {
  const place = mutations.findIndex(({ selector }) => !isSelector(selector));
  if (place < 0) return;
  const fields = [{ path: `${path}[${place}].selector`, message: NO_SELECTOR }];
  throw new Problem({ status: -1, code: "selector", message: "Not saved: correct what is marked above.", fields });
}

const NO_SELECTOR = "No browser understands this selector. The variation would not be shown.";

/** Return whether the browser can read a selector; an empty one is not typed yet. */
function isSelector(selector: string): boolean {
  try {
    if (selector.trim()) document.createDocumentFragment().querySelector(selector);
  } catch {
    return false;
  }
  return true;
}

const VALUES = {
  text: { label: "New text", hint: "Text, never markup.", placeholder: "Made by hand in Weimar" },
  html: { label: "HTML", hint: "Scripts inside do not run.", placeholder: "<p>Free returns for 30 days</p>" },
  styles: { label: "Styles", hint: "One a line, as in a style sheet.", placeholder: "background-color: teal" },
  attributes: {
    label: "Attributes",
    hint: "One a line: name=value. A name alone removes the attribute.",
    placeholder: "href=/sale",
  },
};

function Value({ id, change, onChange }: { id: string; change: Mutation; onChange: (change: Mutation) => void }) {
  const { needs } = ACTIONS[change.action];
  const [typed, setTyped] = useState(() => textOf(change));
  if (needs === "nothing") return null;
  const { label, hint, placeholder } = VALUES[needs];
  // What another change of the same value wrote here, such as undo, wins over what was typed.
  const text = sameValue(read(change, typed), change) ? typed : textOf(change);
  if (needs === "html") {
    return (
      <div class="change-value">
        <label for={id}>{label}</label>
        <CodeArea
          id={id}
          label={label}
          description={hint}
          language="html"
          rows={4}
          value={change.html ?? ""}
          onChange={(html) => onChange(read(change, html))}
        />
        <p class="hint">{hint}</p>
      </div>
    );
  }
  return (
    <div class="change-value">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class={needs === "text" ? undefined : "code-input"}
        rows={needs === "text" ? 1 : 3}
        value={text}
        placeholder={placeholder}
        aria-describedby={`${id}-hint`}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          onChange(read(change, event.currentTarget.value));
        }}
      />
      <p id={`${id}-hint`} class="hint">
        {hint}
      </p>
    </div>
  );
}

function textOf(change: Mutation): string {
  const { needs } = ACTIONS[change.action];
  if (needs === "styles") return stylesAsText(change.styles);
  if (needs === "attributes") return attributesAsText(change);
  return (needs === "html" ? change.html : change.text) ?? "";
}

function read(change: Mutation, text: string): Mutation {
  const { attribute: _older, ...rest } = change;
  const { needs } = ACTIONS[change.action];
  if (needs === "styles") return { ...rest, styles: stylesIn(text) };
  if (needs === "attributes") return { ...rest, attributes: attributesIn(text) };
  return needs === "html" ? { ...rest, html: text } : { ...rest, text };
}

function sameValue(one: Mutation, other: Mutation): boolean {
  return textOf(one) === textOf(other);
}
