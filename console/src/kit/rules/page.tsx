import { useState } from "preact/hooks";
import { SelectField } from "../choices.tsx";
import { TextField, useMessages } from "../form.tsx";
import { asJson } from "../json.tsx";
import { NumberField } from "../number.tsx";
import type { PageDefinition, Trigger, UrlRule } from "./words.ts";

interface Props {
  /** The path of the object in the body; "" for the body itself. */
  path: string;
  value: PageDefinition;
  onChange: (value: PageDefinition) => void;
}

/** Which addresses a page is, and from when on. */
export function PageFields({ path, value, onChange }: Props) {
  const inside = (name: string) => (path ? `${path}.${name}` : name);
  return (
    <>
      <UrlRulesField
        path={inside("includeRules")}
        label="On these addresses"
        hint="* stands for any characters: /products/*. The host counts only if you write it."
        value={value.includeRules ?? []}
        onChange={(includeRules) => onChange({ ...value, includeRules })}
      />
      <UrlRulesField
        path={inside("excludeRules")}
        label="But not on these"
        value={value.excludeRules ?? []}
        onChange={(excludeRules) => onChange({ ...value, excludeRules })}
      />
      <TriggerField
        path={inside("trigger")}
        value={value.trigger ?? { type: "immediate" }}
        onChange={(trigger) => onChange({ ...value, trigger })}
      />
      <ConditionField
        path={inside("advancedCondition")}
        value={value.advancedCondition ?? null}
        onChange={(advancedCondition) => onChange({ ...value, advancedCondition })}
      />
    </>
  );
}

interface UrlRulesProps {
  path: string;
  label: string;
  hint?: string;
  value: UrlRule[];
  onChange: (value: UrlRule[]) => void;
}

/** Patterns of addresses, each on a line of its own. */
export function UrlRulesField({ path, label, hint, value, onChange }: UrlRulesProps) {
  const messages = useMessages(path);
  return (
    <fieldset class="field urls">
      <legend>{label}</legend>
      {hint && <p class="hint">{hint}</p>}
      <ul class="rules">
        {value.map((rule, index) => (
          <UrlRow
            key={index}
            path={`${path}[${index}]`}
            label={`${label}, ${index + 1}`}
            value={rule}
            onChange={(next) => onChange(value.with(index, next))}
            onRemove={() => onChange(value.toSpliced(index, 1))}
          />
        ))}
      </ul>
      {messages.length > 0 && <p class="message">{messages.join(" ")}</p>}
      <button type="button" onClick={() => onChange([...value, { type: "simple", pattern: "" }])}>
        Add an address
      </button>
    </fieldset>
  );
}

interface UrlRowProps {
  path: string;
  label: string;
  value: UrlRule;
  onChange: (value: UrlRule) => void;
  onRemove: () => void;
}

function UrlRow({ path, label, value, onChange, onRemove }: UrlRowProps) {
  const messages = [...useMessages(path), ...useMessages(`${path}.pattern`), ...useMessages(`${path}.type`)];
  return (
    <li class="rule">
      <div class="rule-parts">
        <input
          class="wide"
          aria-label={label}
          aria-invalid={messages.length > 0 || undefined}
          placeholder={value.type === "regex" ? "^https://shop\\.example/p/\\d+$" : "/products/*"}
          value={value.pattern}
          onInput={(event) => onChange({ ...value, pattern: event.currentTarget.value })}
        />
        <select
          aria-label={`Kind of ${label}`}
          value={value.type}
          onChange={(event) => onChange({ ...value, type: event.currentTarget.value === "regex" ? "regex" : "simple" })}
        >
          <option value="simple">address with *</option>
          <option value="regex">regular expression</option>
        </select>
        <button type="button" class="quiet" aria-label={`Remove ${label}`} onClick={onRemove}>
          ×
        </button>
      </div>
      {messages.length > 0 && <p class="message">{messages.join(" ")}</p>}
    </li>
  );
}

const TRIGGERS = [
  { value: "immediate", label: "At once" },
  { value: "dom_ready", label: "When the document is read" },
  { value: "element", label: "When an element is there" },
  { value: "event", label: "After an event" },
  { value: "delay", label: "After some time" },
] as const;

/** From when on it applies, after the page is opened. */
export function TriggerField({
  path,
  value,
  onChange,
}: {
  path: string;
  value: Trigger;
  onChange: (value: Trigger) => void;
}) {
  const { type = "immediate" } = value;
  return (
    <>
      <SelectField
        path={`${path}.type`}
        label="From when on"
        required
        value={type}
        options={TRIGGERS}
        onChange={(next) => onChange({ type: TRIGGERS.find((each) => each.value === next)?.value ?? "immediate" })}
      />
      {type === "element" && (
        <TextField
          path={`${path}.selector`}
          label="CSS selector of the element"
          required
          value={value.selector ?? ""}
          onChange={(selector) => onChange({ type, selector })}
        />
      )}
      {type === "event" && (
        <TextField
          path={`${path}.eventName`}
          label="Name of the event"
          required
          value={value.eventName ?? ""}
          onChange={(eventName) => onChange({ type, eventName })}
        />
      )}
      {type === "delay" && (
        <NumberField
          path={`${path}.ms`}
          label="Wait"
          required
          min={0}
          max={60_000}
          unit="ms"
          value={value.ms ?? null}
          onChange={(ms) => onChange({ type, ms: ms ?? undefined })}
        />
      )}
    </>
  );
}

interface ConditionProps {
  path: string;
  value: Record<string, unknown> | null;
  onChange: (value: Record<string, unknown> | null) => void;
}

/** A condition as JSON. What cannot be read as JSON goes to the API as it is, which then refuses it at this field. */
function ConditionField({ path, value, onChange }: ConditionProps) {
  const [text, setText] = useState(value ? asJson(value) : "");
  const typed = (next: string) => {
    setText(next);
    onChange(next.trim() ? readOrKeep(next) : null);
  };
  return (
    <details open={Boolean(value)}>
      <summary>Condition for experts</summary>
      <div class="json">
        <TextField
          path={path}
          label="Condition"
          hint='JSON of the condition language, for example {"data_layer.template": "product"}'
          rows={4}
          value={text}
          onChange={typed}
        />
      </div>
    </details>
  );
}

function readOrKeep(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return text as unknown as Record<string, unknown>;
  }
}
