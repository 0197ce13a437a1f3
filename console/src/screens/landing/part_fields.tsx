import { CheckField, SelectField } from "../../kit/choices.tsx";
import { Field, TextField } from "../../kit/form.tsx";
import { NumberField } from "../../kit/number.tsx";
import { chosen, listOf, partOf, put, type Step, withStep } from "./content.ts";
import { FileField, ImageField } from "./file_fields.tsx";
import { Cells, capital, Legend, Messages, Texts } from "./line_fields.tsx";
import { Listed } from "./listed.tsx";
import { LongText } from "./long_text.tsx";
import type { ListPart, Part, Value } from "./part.ts";

/** The list of anchors of the page, which fields for addresses offer. */
export const ANCHORS = "anchors-of-the-page";

interface Props {
  fields: readonly Part[];
  part: Value;
  /** The path of the part, as errors name it. */
  path: string;
  onChange: (part: Value) => void;
  /** Heads of the columns, for cells. */
  columns?: readonly unknown[];
}

/** The fields of a part of a page. */
export function PartFields({ fields, part, path, onChange, columns }: Props) {
  return (
    <div class="part-fields">
      {fields
        .filter(({ when }) => !when || when(part))
        .map((field) => (
          <div key={field.name} class={field.isWide || WIDE.has(field.kind) ? "is-wide" : undefined}>
            <OneField field={field} part={part} path={path} onChange={onChange} columns={columns} />
          </div>
        ))}
    </div>
  );
}

const WIDE = new Set<Part["kind"]>(["long", "image", "file", "list", "texts", "part", "cells"]);

function OneField({ field, part, path, onChange, columns }: Omit<Props, "fields"> & { field: Part }) {
  const at = `${path}.${field.name}`;
  const value = part[field.name];
  const change = (next: unknown) => onChange(put(part, field, next));
  const { label, hint, isRequired } = field;
  const shared = { path: at, label, hint, required: isRequired };
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  switch (field.kind) {
    case "text":
      return <TextField {...shared} value={text} onChange={change} />;
    case "address":
      return (
        <Field {...shared}>
          {(attributes) => (
            <input
              {...attributes}
              type="text"
              list={ANCHORS}
              placeholder="/lamps, #questions, https://"
              autocomplete="off"
              value={text}
              onInput={(event) => change(event.currentTarget.value)}
            />
          )}
        </Field>
      );
    case "long":
      return <LongText {...shared} rows={field.rows} value={text} onChange={change} />;
    case "check":
      return <CheckField path={at} label={label} hint={hint} value={value === true} onChange={change} />;
    case "choice":
      return <Choice {...shared} field={field} value={value} onChange={change} />;
    case "number":
      return (
        <NumberField
          {...shared}
          value={typeof value === "number" ? value : null}
          onChange={change}
          unit={field.unit}
          min={field.min}
          max={field.max}
          step={field.step}
        />
      );
    case "file":
      return (
        <FileField path={at} label={label} kind={field.of} isRequired={isRequired} value={value} onChange={change} />
      );
    case "image":
      return <ImageField path={at} label={label} isRequired={isRequired} value={value} onChange={change} />;
    case "part":
      return (
        <fieldset class="field">
          <legend>{label}</legend>
          <PartFields fields={field.fields} part={partOf(value)} path={at} onChange={change} />
        </fieldset>
      );
    case "cells":
      return <Cells path={at} label={label} columns={columns ?? []} value={listOf(value)} onChange={change} />;
    case "texts":
      return (
        <Texts
          field={field}
          path={at}
          value={listOf(value)}
          onStep={(step) => onChange(withStep(part, field, step))}
          onChange={change}
        />
      );
    case "list":
      return <Entries field={field} path={at} part={part} onChange={onChange} />;
  }
}

interface ChoiceProps {
  path: string;
  label: string;
  hint?: string;
  field: Extract<Part, { kind: "choice" }>;
  value: unknown;
  onChange: (value: string) => void;
}

function Choice({ field, value, ...shared }: ChoiceProps) {
  const [text, options] = chosen(field.options, value, field.standard);
  return <SelectField {...shared} required value={text} options={options} />;
}

function Entries({ field, path, part, onChange }: { field: ListPart } & Omit<Props, "fields" | "columns">) {
  const entries = listOf(part[field.name]).map(partOf);
  const step = (taken: Step) => onChange(withStep(part, field, taken));
  const nameOf = (entry: Value, place: number) =>
    `${field.one} ${place + 1}${entry[field.named] ? `, ${String(entry[field.named])}` : ""}`;
  return (
    <fieldset class="field entries">
      <Legend field={field} />
      <Messages path={path} />
      <Listed
        label={field.label}
        items={entries}
        add={{ label: `Add a ${field.one}`, entry: () => firstOf(field, part) }}
        nameOf={nameOf}
        onStep={step}
        least={field.least}
        most={field.most}
      >
        {(entry, place, tools) => (
          <div class="entry">
            <p class="entry-head">
              <span class="soft">
                {capital(field.one)} {place + 1}
              </span>
              <span>
                {tools.movers}
                {tools.others}
              </span>
            </p>
            <PartFields
              fields={field.fields}
              part={entry}
              path={`${path}[${place}]`}
              columns={listOf(part.columns)}
              onChange={(after) => {
                const settled = field.settle?.(entry, after) ?? after;
                onChange({ ...part, [field.name]: entries.with(place, settled) });
              }}
            />
          </div>
        )}
      </Listed>
    </fieldset>
  );
}

/** Return what a new entry begins with. A row of a comparison has a cell for each column. */
function firstOf({ first }: ListPart, part: Value): Value {
  return "cells" in first ? { ...first, cells: listOf(part.columns).map(() => "") } : structuredClone(first);
}
