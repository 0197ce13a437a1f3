import { useId } from "preact/hooks";
import { SelectField } from "../../kit/choices.tsx";
import { useMessages } from "../../kit/form.tsx";
import type { Step } from "./content.ts";
import { Listed } from "./listed.tsx";
import type { Part, TextsPart } from "./part.ts";

/** What a list is called. */
export function Legend({ field }: { field: Part }) {
  return (
    <legend>
      {field.label}
      {!field.isRequired && <span class="optional"> optional</span>}
    </legend>
  );
}

interface TextsProps {
  field: TextsPart;
  path: string;
  value: unknown[];
  onChange: (value: unknown[]) => void;
  onStep: (step: Step) => void;
}

/** A list of plain texts. */
export function Texts({ field, path, value, onChange, onStep }: TextsProps) {
  return (
    <fieldset class="field entries">
      <Legend field={field} />
      <Messages path={path} />
      <Listed
        label={field.label}
        items={value}
        add={{ label: `Add a ${field.one}`, entry: () => "" }}
        nameOf={(_, place) => `${field.one} ${place + 1}`}
        onStep={onStep}
        least={field.least}
        most={field.most}
      >
        {(text, place, tools) => (
          <div class="one-text">
            <Line
              path={`${path}[${place}]`}
              label={`${capital(field.one)} ${place + 1}`}
              value={String(text ?? "")}
              onChange={(typed) => onChange(value.with(place, typed))}
            />
            <span>
              {tools.movers}
              {tools.others}
            </span>
          </div>
        )}
      </Listed>
    </fieldset>
  );
}

interface CellsProps {
  path: string;
  label: string;
  columns: readonly unknown[];
  value: unknown[];
  onChange: (value: unknown[]) => void;
}

/** The cells of a row: a tick, a dash, or words. */
export function Cells({ path, label, columns, value, onChange }: CellsProps) {
  const cells: unknown[] = columns.map((_, place) => value[place] ?? "");
  return (
    <fieldset class="field">
      <legend class="unseen">{label}</legend>
      <Messages path={path} />
      <div class="part-fields">
        {cells.map((cell, place) => {
          const name = String(columns[place] || `Column ${place + 1}`);
          const put = (next: unknown) => onChange(cells.with(place, next));
          const is = typeof cell === "boolean" ? (cell ? "tick" : "dash") : "words";
          return (
            <div key={place} class="cell">
              <SelectField
                path={`${path}[${place}].kind`}
                label={name}
                required
                value={is}
                onChange={(kind) => put(kind === "words" ? "" : kind === "tick")}
                options={[
                  { value: "words", label: "Words" },
                  { value: "tick", label: "✓ Yes" },
                  { value: "dash", label: "– No" },
                ]}
              />
              {is === "words" && (
                <Line
                  path={`${path}[${place}]`}
                  label={`Words for ${name}`}
                  value={String(cell ?? "")}
                  onChange={put}
                />
              )}
            </div>
          );
        })}
      </div>
    </fieldset>
  );
}

interface LineProps {
  path: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** A text whose place says what it is: its label is for those who hear it. */
function Line({ path, label, value, onChange }: LineProps) {
  const messages = useMessages(path);
  const id = useId();
  return (
    <span class="only-line">
      <input
        type="text"
        aria-label={label}
        autocomplete="off"
        aria-invalid={messages.length > 0 || undefined}
        aria-describedby={messages.length ? id : undefined}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {messages.length > 0 && (
        <span id={id} class="message">
          {messages.join(" ")}
        </span>
      )}
    </span>
  );
}

/** What the API says about a list as a whole. */
export function Messages({ path }: { path: string }) {
  const messages = useMessages(path);
  return messages.length ? (
    <p class="message" data-invalid tabIndex={-1}>
      {messages.join(" ")}
    </p>
  ) : null;
}

/** Return a text with a capital. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
