import { useState } from "preact/hooks";
import { Field, type FieldProps } from "./form.tsx";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Two separators of one kind with three digits each, such as 1,234,567. */
const THOUSANDS = /^[+-]?\d{1,3}([.,])\d{3}(\1\d{3})+$/;

/** Read a number as people type it: 0.5 or 0,5, with or without separators of thousands. null where it is none. */
export function readNumber(typed: string): number | null {
  // Spaces of all kinds and apostrophes stand between thousands; pasted texts have a minus of their own.
  let text = typed.replaceAll(/[\s'’]/g, "").replaceAll("−", "-");
  const [dot, comma] = [text.lastIndexOf("."), text.lastIndexOf(",")];
  if (THOUSANDS.test(text)) text = text.replaceAll(/[.,]/g, "");
  else if (dot >= 0 && comma >= 0) text = text.replaceAll(dot > comma ? "," : ".", "");
  if (isUnclear(text)) return null;
  text = text.replace(",", ".");
  return NUMBER.test(text) && Number.isFinite(Number(text)) ? Number(text) : null;
}

/** Return what is wrong with a text in a field for a number; null where it can be read, or nothing is typed. */
export function faultOf(typed: string): string | null {
  if (!typed.trim() || readNumber(typed) !== null) return null;
  const digits = typed.replaceAll(/[^\d]/g, "");
  return isUnclear(typed.trim())
    ? `A comma before three digits can mean two things: write ${digits}, or a point in place of the comma.`
    : "This is not a number.";
}

/** 1,000 is a thousand to some and one to others. 0,125 is clear. */
function isUnclear(text: string): boolean {
  return /^[+-]?[1-9]\d{0,2},\d{3}$/.test(text);
}

interface InputProps {
  value: number | null;
  onChange: (value: number | null) => void;
  /** Limits of the arrow keys; what is typed is checked by the API. */
  min?: number;
  max?: number;
  step?: number | "any";
}

/** What was typed in a field for a number. */
function useTyped({ value, onChange }: InputProps) {
  const [{ typed, over }, setTyped] = useState({ typed: value === null ? "" : String(value), over: value });
  // What was typed stays as long as it means the value, or nothing yet; a value from elsewhere takes its place.
  const isTyped = faultOf(typed) ? over === value : readNumber(typed) === value || (!typed.trim() && !value);
  const text = isTyped ? typed : value === null ? "" : String(value);
  const take = (next: string) => {
    setTyped({ typed: next, over: value });
    if (!faultOf(next)) onChange(readNumber(next));
  };
  return { text, fault: faultOf(text), take };
}

type Typed = ReturnType<typeof useTyped>;
type Limits = Pick<InputProps, "value" | "min" | "max" | "step">;

/**
 * A text that is read as a number. A number control of the browser loses the point while it is typed, and drops the
 * comma of other languages: 1,5 becomes 15. A form is not sent while a text in it cannot be read.
 */
function attributesOf({ text, fault, take }: Typed, { value, min = -Infinity, max = Infinity, step = 1 }: Limits) {
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (by === undefined || fault) return;
    event.preventDefault();
    const next = (value ?? 0) + by * (step === "any" ? 1 : step);
    take(String(Number(Math.min(max, Math.max(min, next)).toPrecision(12))));
  };
  return {
    type: "text",
    inputMode: "decimal",
    autocomplete: "off",
    value: text,
    "data-unread": fault ?? undefined,
    onInput: (event: { currentTarget: HTMLInputElement }) => take(event.currentTarget.value),
    onKeyDown,
  } as const;
}

/** A number without a label of its own. */
export function NumberInput({ label, ...input }: InputProps & { label: string }) {
  const typed = useTyped(input);
  return (
    <input
      {...attributesOf(typed, input)}
      class="share"
      aria-label={label}
      aria-invalid={typed.fault ? true : undefined}
      title={typed.fault ?? undefined}
    />
  );
}

/** A field for a number. */
export function NumberField({ unit, ...field }: FieldProps & InputProps & { unit?: string }) {
  const typed = useTyped(field);
  return (
    <Field {...field} fault={typed.fault}>
      {(attributes) => (
        <span class="with-unit">
          <input {...attributes} {...attributesOf(typed, field)} />
          {unit && <span class="soft">{unit}</span>}
        </span>
      )}
    </Field>
  );
}
