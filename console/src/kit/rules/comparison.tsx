import { useState } from "preact/hooks";
import { shop } from "../../session/session.ts";
import { useMessages } from "../form.tsx";
import {
  ATTRIBUTES,
  type Attribute,
  adapted,
  type Comparison,
  choicesOf,
  OPERATORS,
  type Operator,
  operatorsOf,
  type Value,
} from "./attributes.ts";

interface Props {
  path: string;
  value: Comparison;
  onChange: (value: Comparison) => void;
  onRemove: () => void;
}

/** One comparison of an audience: what, how, with which value. */
export function ComparisonRow({ path, value, onChange, onRemove }: Props) {
  const { attribute, operator } = value;
  const words = ATTRIBUTES[attribute];
  const zone = shop.value?.timezone ?? "UTC";
  const change = (changed: Partial<Comparison>) => onChange(adapted(value, changed, zone));
  return (
    <li class="rule">
      <div class="rule-parts">
        <select
          aria-label="What"
          value={attribute}
          onChange={(event) => change({ attribute: event.currentTarget.value as Attribute })}
        >
          {Object.entries(ATTRIBUTES).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
        {words.key && <Key words={words} value={value.key ?? ""} onChange={(key) => change({ key })} />}
        <select
          aria-label="How"
          value={operator}
          onChange={(event) => change({ operator: event.currentTarget.value as Operator })}
        >
          {operatorsOf(attribute).map((name) => (
            <option key={name} value={name}>
              {OPERATORS[name]}
            </option>
          ))}
        </select>
        {operator !== "exists" && operator !== "not_exists" && (
          <ValueInput
            key={`${attribute} ${Array.isArray(value.value)}`}
            of={value}
            onChange={(next) => change({ value: next })}
          />
        )}
        {value.timezone !== undefined && (
          <input
            aria-label="Time zone"
            value={value.timezone}
            onInput={(event) => change({ timezone: event.currentTarget.value })}
          />
        )}
        <button type="button" class="quiet" aria-label={`Remove: ${words.label}`} onClick={onRemove}>
          ×
        </button>
      </div>
      <Said path={path} />
    </li>
  );
}

/** What the API says about the parts of a comparison. */
function Said({ path }: { path: string }) {
  const messages = [
    ...useMessages(path),
    ...useMessages(`${path}.attribute`),
    ...useMessages(`${path}.key`),
    ...useMessages(`${path}.operator`),
    ...useMessages(`${path}.value`),
    ...useMessages(`${path}.timezone`),
  ];
  return messages.length ? <p class="message">{messages.join(" ")}</p> : null;
}

interface KeyProps {
  words: { key?: string; keys?: readonly string[] };
  value: string;
  onChange: (key: string) => void;
}

function Key({ words, value, onChange }: KeyProps) {
  if (!words.keys) {
    return (
      <input
        aria-label={words.key}
        placeholder={words.key}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  return (
    <select aria-label={words.key} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {words.keys.map((key) => (
        <option key={key}>{key}</option>
      ))}
    </select>
  );
}

function ValueInput({ of, onChange }: { of: Comparison; onChange: (value: Value) => void }) {
  const { kind, placeholder } = ATTRIBUTES[of.attribute];
  const choices = choicesOf(of.attribute);
  if (Array.isArray(of.value)) {
    return <ManyValues value={of.value} kind={kind} onChange={onChange} />;
  }
  if (kind === "boolean") {
    return (
      <select
        aria-label="Value"
        value={String(of.value)}
        onChange={(event) => onChange(event.currentTarget.value === "true")}
      >
        <option value="true">yes</option>
        <option value="false">no</option>
      </select>
    );
  }
  if (choices) {
    return (
      <select aria-label="Value" value={String(of.value)} onChange={(event) => onChange(event.currentTarget.value)}>
        {choices.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    );
  }
  const isNumber = kind === "number" || kind === "hour";
  return (
    <input
      aria-label="Value"
      {...({ type: isNumber ? "number" : kind === "time" ? "time" : "text" } as object)}
      placeholder={placeholder}
      value={of.value === undefined ? "" : String(of.value)}
      onInput={(event) => onChange(read(event.currentTarget.value, kind))}
    />
  );
}

interface ManyValuesProps {
  value: readonly (string | number | boolean)[];
  kind: string;
  onChange: (value: Value) => void;
}

function ManyValues({ value, kind, onChange }: ManyValuesProps) {
  const [typed, setTyped] = useState("");
  // What was typed counts only while it is this value: rows move up when one above them is removed.
  const text = JSON.stringify(linesOf(typed, kind)) === JSON.stringify(value) ? typed : value.join("\n");
  return (
    <textarea
      aria-label="Values, one a line"
      placeholder="one a line"
      rows={Math.min(6, Math.max(2, text.split("\n").length))}
      value={text}
      onInput={(event) => {
        setTyped(event.currentTarget.value);
        onChange(linesOf(event.currentTarget.value, kind));
      }}
    />
  );
}

function linesOf(text: string, kind: string): (string | number | boolean)[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter(Boolean).map((line) => read(line, kind) ?? line);
}

/** Return what was typed as the attribute takes it: a fact of the page may be a number, yes or no, or a text. */
function read(typed: string, kind: string): string | number | boolean | undefined {
  const isNumber = typed.trim() !== "" && Number.isFinite(Number(typed));
  if (kind === "number" || kind === "hour") return isNumber ? Number(typed) : undefined;
  if (kind !== "mixed") return typed;
  if (typed === "true" || typed === "false") return typed === "true";
  return isNumber ? Number(typed) : typed;
}
