/** Controls of forms that choose: one of a list, several of one, yes or no. */

import { useId } from "preact/hooks";
import { Field, type FieldProps, useMessages } from "./form.tsx";

export interface Option {
  value: string;
  label: string;
  /** Below the label of a check box. */
  hint?: string;
}

interface SelectProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  options: readonly Option[];
}

export function SelectField({ value, onChange, options, ...field }: SelectProps) {
  return (
    <Field {...field}>
      {(attributes) => (
        <select {...attributes} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckProps {
  path: string;
  label: string;
  hint?: string;
  value: boolean;
  onChange: (value: boolean) => void;
}

export function CheckField({ path, label, hint, value, onChange }: CheckProps) {
  const id = useId();
  const messages = useMessages(path);
  return (
    <div class="field check">
      <input
        id={id}
        type="checkbox"
        checked={value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {messages.length > 0 && <p class="message">{messages.join(" ")}</p>}
    </div>
  );
}

interface ManyProps extends FieldProps {
  value: readonly string[];
  onChange: (value: string[]) => void;
  options: readonly Option[];
}

/** Several of a list, as check boxes. */
export function ManyField({ value, onChange, options, path, label, hint }: ManyProps) {
  const id = useId();
  const messages = useMessages(path);
  const toggled = (name: string) => (value.includes(name) ? value.filter((each) => each !== name) : [...value, name]);
  return (
    <fieldset class="field many" aria-describedby={hint ? `${id}-hint` : undefined}>
      <legend>{label}</legend>
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      <div class="choices">
        {options.map((option) => (
          <label key={option.value}>
            <input
              type="checkbox"
              checked={value.includes(option.value)}
              onChange={() => onChange(toggled(option.value))}
            />{" "}
            {option.label}
            {option.hint && <small class="soft">{option.hint}</small>}
          </label>
        ))}
      </div>
      {messages.length > 0 && <p class="message">{messages.join(" ")}</p>}
    </fieldset>
  );
}
