import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import type { Doing } from "../api/loading.ts";
import { messagesFor, messagesOfEntries, type Problem, unshown } from "../api/problems.ts";
import { useLeaveWarning } from "./leave.ts";

/** The problem of the form, and the paths of the controls that show their part of it. */
const Answers = createContext<{ problem: Problem | null; paths: Set<string> }>({ problem: null, paths: new Set() });

interface FormProps {
  doing: Doing;
  onSubmit: () => Promise<unknown>;
  /** The button; without it, the form is one that the person may only read. */
  submit: string | undefined;
  /** Next to the button. */
  others?: ComponentChildren;
  /** True while something is typed that is not saved: leaving the page then asks. */
  isDirty?: boolean;
  children: ComponentChildren;
}

/** A form whose controls show the API's own words next to the field that they are about. */
export function Form({ doing, onSubmit, submit, others, isDirty = false, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [paths] = useState(() => new Set<string>());
  const { problem, isBusy } = doing;
  useEffect(() => {
    if (!problem) return;
    const first =
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid]') ??
      form.current?.querySelector<HTMLElement>(".problem");
    show(first);
  }, [problem]);
  useLeaveWarning(isDirty);
  return (
    <Answers.Provider value={{ problem, paths }}>
      <form
        ref={form}
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const unread = form.current?.querySelector<HTMLElement>("[data-unread]");
          if (unread) show(unread);
          else void doing.run(onSubmit);
        }}
      >
        {children}
        {problem && <Said problem={problem} paths={paths} />}
        {submit ? (
          <p class="buttons">
            <button type="submit" class="primary" disabled={isBusy}>
              {isBusy ? "…" : submit}
            </button>
            {others}
          </p>
        ) : (
          <p class="note">You may read this. To change it takes another role.</p>
        )}
      </form>
    </Answers.Provider>
  );
}

/** Lead to a control, also where it is folded away. */
function show(control: HTMLElement | null | undefined): void {
  for (let box = control?.closest("details"); box; box = box.parentElement?.closest("details")) box.open = true;
  control?.focus();
}

/** What went wrong as a whole. It comes after the controls, which say by then which fields they show. */
function Said({ problem, paths }: { problem: Problem; paths: Set<string> }) {
  const rest = unshown(problem, paths);
  // The API's own sentence is about the body of a request, which nobody sees here.
  const isOfFields = problem.code === "invalid_request" && problem.fields.length > 0;
  const isAllMarked = isOfFields && rest.length === 0;
  // The sentence of a single field is often the whole one.
  const listed = isOfFields ? rest : rest.filter(({ message }) => !problem.message.includes(message));
  return (
    <div class="problem" role="alert" tabIndex={-1}>
      <p>
        {isOfFields
          ? `Not saved yet. ${isAllMarked ? "Correct what is marked above." : "Correct this:"}`
          : problem.message}
      </p>
      {listed.length > 0 && (
        <ul>
          {listed.map(({ path, message }) => (
            <li key={path + message}>
              <code>{path}</code>: {message}
            </li>
          ))}
        </ul>
      )}
      {problem.requestId && !isOfFields && <p class="soft">Request {problem.requestId}</p>}
    </div>
  );
}

/** Return what the API says about a field, for controls that are not a Field; the form then does not list it again. */
export function useMessages(path: string): string[] {
  const { problem, paths } = useContext(Answers);
  paths.add(path);
  return messagesFor(problem, path);
}

export interface FieldProps {
  /** The path of the field in the body, as errors name it. */
  path: string;
  label: string;
  hint?: ComponentChildren;
  required?: boolean;
}

interface Attributes {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
  required: boolean;
}

/** A control with its label, its hint and what the API says about it. */
export function Field({
  path,
  label,
  hint,
  required = false,
  fault,
  isList = false,
  children,
}: FieldProps & { fault?: string | null; isList?: boolean; children: (attributes: Attributes) => ComponentChildren }) {
  const id = useId();
  const { problem, paths } = useContext(Answers);
  paths.add(path);
  const entries = isList ? messagesOfEntries(problem, path) : [];
  for (const entry of entries) paths.add(entry.path);
  const messages = fault ? [fault] : [...messagesFor(problem, path), ...entries.map(({ message }) => message)];
  const describedBy = [hint && `${id}-hint`, messages.length > 0 && `${id}-problem`].filter(Boolean).join(" ");
  const attributes = {
    id,
    "aria-describedby": describedBy || undefined,
    "aria-invalid": messages.length > 0 || undefined,
    required,
  };
  return (
    <div class="field">
      <label for={id}>
        {label}
        {!required && <span class="optional"> optional</span>}
      </label>
      {children(attributes)}
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {messages.length > 0 && (
        <p id={`${id}-problem`} class="message">
          {messages.join(" ")}
        </p>
      )}
    </div>
  );
}

interface TextProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  type?: "text" | "password" | "email" | "url" | "search" | "datetime-local" | "date";
  placeholder?: string;
  autocomplete?: string;
  maxLength?: number;
  /** More than one makes it an area. */
  rows?: number;
}

export function TextField({
  value,
  onChange,
  type = "text",
  placeholder,
  autocomplete = "off",
  maxLength,
  rows,
  ...field
}: TextProps & { isList?: boolean }) {
  return (
    <Field {...field}>
      {(attributes) =>
        rows ? (
          <textarea
            {...attributes}
            rows={rows}
            value={value}
            placeholder={placeholder}
            maxLength={maxLength}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        ) : (
          <input
            {...attributes}
            {...({ type } as object)}
            value={value}
            placeholder={placeholder}
            autocomplete={autocomplete}
            maxLength={maxLength}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        )
      }
    </Field>
  );
}

/** Lines of a text as a list: one entry a line. */
export function LinesField({
  value,
  onChange,
  rows = 4,
  ...field
}: Omit<TextProps, "value" | "onChange"> & { value: readonly string[]; onChange: (value: string[]) => void }) {
  const [text, setText] = useState(value.join("\n"));
  return (
    <TextField
      {...field}
      isList
      rows={rows}
      value={text}
      onChange={(typed) => {
        setText(typed);
        onChange(
          typed
            .split("\n")
            .map((line) => line.trim())
            .filter(Boolean),
        );
      }}
    />
  );
}
