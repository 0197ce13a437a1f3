/** The fields of a form on a landing page. */

import type { Option } from "../../kit/choices.tsx";
import type { ListPart, Value } from "./part.ts";

const FIELD_TYPES: readonly Option[] = [
  { value: "", label: "A line of text" },
  { value: "textarea", label: "A longer text" },
  { value: "email", label: "E-mail address" },
  { value: "tel", label: "Phone number" },
  { value: "number", label: "Number" },
  { value: "date", label: "Day" },
  { value: "select", label: "One of a list" },
  { value: "checkbox", label: "Check box" },
];

const FILLS: readonly Option[] = [
  { value: "", label: "Nothing" },
  { value: "name", label: "Name" },
  { value: "given-name", label: "First name" },
  { value: "family-name", label: "Last name" },
  { value: "organization", label: "Company" },
  { value: "organization-title", label: "Position" },
  { value: "email", label: "E-mail address" },
  { value: "tel", label: "Phone number" },
  { value: "street-address", label: "Street, all lines" },
  { value: "address-line1", label: "Street, first line" },
  { value: "address-line2", label: "Street, second line" },
  { value: "postal-code", label: "Postal code" },
  { value: "address-level2", label: "Town" },
  { value: "country-name", label: "Country" },
  { value: "bday", label: "Birthday" },
  { value: "url", label: "Web address" },
  { value: "off", label: "Forbid it" },
];

export const FORM_FIELDS: ListPart = {
  kind: "list",
  name: "fields",
  label: "Fields",
  one: "field",
  least: 1,
  most: 12,
  isRequired: true,
  named: "label",
  first: { name: "", label: "" },
  settle: settledField,
  fields: [
    { kind: "text", name: "label", label: "Label", isRequired: true },
    { kind: "choice", name: "type", label: "What is typed", options: FIELD_TYPES, standard: "text" },
    { kind: "check", name: "required", label: "It must be filled in" },
    {
      kind: "texts",
      name: "options",
      label: "Choices",
      one: "choice",
      least: 1,
      most: 50,
      isRequired: true,
      when: ({ type }) => type === "select",
    },
    { kind: "choice", name: "autocomplete", label: "What browsers may fill in", options: FILLS },
    {
      kind: "text",
      name: "name",
      label: "Name in what is sent",
      isRequired: true,
      hint: "Follows the label. Letters A to Z, digits, hyphens.",
    },
  ],
};

/** Return a name for a field of a form: "Your e-mail" is "your-e-mail". */
export function fieldName(label: string): string {
  const plain = label.replaceAll("ß", "ss").normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return plain
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, 60)
    .replace(/-$/, "");
}

function settledField(before: Value, after: Value): Value {
  const settled = { ...after };
  const follows = !before.name || before.name === fieldName(String(before.label ?? ""));
  if (follows && before.label !== after.label) settled.name = fieldName(String(after.label ?? ""));
  if (after.type === "select") settled.options ??= [""];
  else delete settled.options;
  return settled;
}
