import type { Schemas } from "../../api/client.ts";
import { SelectField } from "../../kit/choices.tsx";
import { LinesField, TextField } from "../../kit/form.tsx";
import { PAGE_TYPES } from "../landing/words.ts";

export type Brief = Schemas["LandingPageContentBrief"];
export type TypedBrief = Pick<
  Brief,
  | "angle"
  | "format"
  | "status"
  | "audience"
  | "keyword_intent"
  | "traffic_source"
  | "objections"
  | "proof_points"
  | "outline"
  | "offer_refs"
  | "product_refs"
>;

type Set = <K extends keyof TypedBrief>(name: K) => (value: TypedBrief[K]) => void;

const STATUSES = [
  { value: "draft", label: "Draft" },
  { value: "approved", label: "Approved" },
  { value: "archived", label: "Archived" },
];

const TEXTS = [
  { name: "audience", label: "Audience", rows: 3 },
  { name: "keyword_intent", label: "What people search for", rows: undefined },
  { name: "traffic_source", label: "Where visitors come from", rows: undefined },
] as const;

const LISTS = [
  { name: "proof_points", label: "Proof, one a line" },
  { name: "objections", label: "Objections, one a line" },
  { name: "outline", label: "Outline, one part a line" },
  { name: "offer_refs", label: "Offers, one a line" },
  { name: "product_refs", label: "Products, one a line" },
] as const;

/** The fields of a brief. */
export function BriefFields({ value, set }: { value: TypedBrief; set: Set }) {
  return (
    <>
      <TextField path="angle" label="Angle" required value={value.angle} onChange={set("angle")} />
      <SelectField
        path="format"
        label="Kind of page"
        required
        value={value.format}
        options={PAGE_TYPES}
        onChange={(typed) => set("format")(typed as Brief["format"])}
      />
      <SelectField
        path="status"
        label="Status"
        required
        value={value.status}
        options={STATUSES}
        onChange={(typed) => set("status")(typed as Brief["status"])}
      />
      {TEXTS.map(({ name, label, rows }) => (
        <TextField
          key={name}
          path={name}
          label={label}
          rows={rows}
          value={value[name] ?? ""}
          onChange={(typed) => set(name)(typed || null)}
        />
      ))}
      {LISTS.map(({ name, label }) => (
        <LinesField key={name} path={name} label={label} rows={3} value={value[name]} onChange={set(name)} />
      ))}
    </>
  );
}
