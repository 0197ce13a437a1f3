import type { Schemas } from "../../api/client.ts";
import { CheckField, SelectField } from "../../kit/choices.tsx";
import { TextField } from "../../kit/form.tsx";
import { JsonField } from "../../kit/json.tsx";
import { NumberField } from "../../kit/number.tsx";
import { AGGREGATIONS, TYPES } from "./words.ts";

/** What is typed about a goal; the filter is JSON text. */
export type TypedGoal = Pick<
  Schemas["Goal"],
  | "name"
  | "type"
  | "event_name"
  | "selector"
  | "text_match"
  | "url_pattern"
  | "count_once"
  | "aggregation"
  | "direction"
  | "numerator"
  | "denominator"
  | "attribution_window_days"
  | "winsorize_pct"
> & { filterText: string };

type Set = <K extends keyof TypedGoal>(name: K) => (value: TypedGoal[K]) => void;

const SUMS = [
  { value: "", label: "Choose" },
  { value: "value", label: "value (money of orders)" },
  { value: "items", label: "items" },
];
const COUNTS = [
  { value: "", label: "Choose" },
  { value: "events", label: "events (orders)" },
  { value: "items", label: "items" },
];

/** The fields of a goal: what counts, and how it is measured. */
export function GoalFields({ value, set }: { value: TypedGoal; set: Set }) {
  const isRatio = value.aggregation === "ratio";
  const text = (name: "event_name" | "selector" | "text_match" | "url_pattern") => (typed: string) =>
    set(name)(typed || null);
  return (
    <>
      <TextField
        path="name"
        label="Name"
        required
        placeholder="Added to cart"
        value={value.name}
        onChange={set("name")}
      />
      <SelectField
        path="type"
        label="What counts"
        required
        value={value.type}
        options={TYPES}
        onChange={(typed) => set("type")(typed as TypedGoal["type"])}
      />
      {value.type === "click" && (
        <>
          <TextField
            path="selector"
            label="CSS selector of what is clicked"
            placeholder=".add-to-cart"
            value={value.selector ?? ""}
            onChange={text("selector")}
          />
          <TextField
            path="text_match"
            label="Or the text on it"
            value={value.text_match ?? ""}
            onChange={text("text_match")}
          />
        </>
      )}
      {value.type === "custom" && (
        <TextField
          path="event_name"
          label="Name of the event"
          required
          placeholder="add_to_cart"
          value={value.event_name ?? ""}
          onChange={text("event_name")}
        />
      )}
      {value.type !== "revenue" && (
        <TextField
          path="url_pattern"
          label="Only on these addresses"
          hint="* stands for any characters: /products/*"
          value={value.url_pattern ?? ""}
          onChange={text("url_pattern")}
        />
      )}
      <SelectField
        path="aggregation"
        label="Measured as"
        required
        value={value.aggregation}
        options={AGGREGATIONS}
        onChange={(typed) => {
          set("aggregation")(typed as TypedGoal["aggregation"]);
          if (typed !== "ratio") {
            set("numerator")(null);
            set("denominator")(null);
          }
        }}
      />
      {isRatio && (
        <>
          <SelectField
            path="numerator"
            label="Sum of"
            required
            value={value.numerator ?? ""}
            options={SUMS}
            onChange={(typed) => set("numerator")((typed || null) as TypedGoal["numerator"])}
          />
          <SelectField
            path="denominator"
            label="Divided by the number of"
            required
            value={value.denominator ?? ""}
            options={COUNTS}
            onChange={(typed) => set("denominator")((typed || null) as TypedGoal["denominator"])}
          />
        </>
      )}
      <SelectField
        path="direction"
        label="Better is"
        required
        value={value.direction}
        options={[
          { value: "increase", label: "more of it" },
          { value: "decrease", label: "less of it" },
        ]}
        onChange={(typed) => set("direction")(typed === "decrease" ? "decrease" : "increase")}
      />
      {(value.aggregation === "conversion" || value.aggregation === "count") && (
        <CheckField
          path="count_once"
          label="Count each visitor once"
          value={value.count_once}
          onChange={set("count_once")}
        />
      )}
      <NumberField
        path="attribution_window_days"
        label="Counts after the first sight of a variation, for"
        required
        unit="days"
        min={1}
        max={90}
        value={value.attribution_window_days}
        onChange={(typed) => set("attribution_window_days")(typed as number)}
      />
      {!["conversion"].includes(value.aggregation) && (
        <NumberField
          path="winsorize_pct"
          label="Cut the highest values, of"
          unit="% of visitors"
          hint="Very large orders then have less weight. 0 to 10."
          value={value.winsorize_pct === null ? null : value.winsorize_pct * 100}
          onChange={(typed) => set("winsorize_pct")(typed === null ? null : typed / 100)}
        />
      )}
      <details open={value.filterText !== ""}>
        <summary>Filter for experts</summary>
        <JsonField
          path="filter"
          label="Only hits that pass this filter"
          hint={'JSON, for example {"version": 1, "orderValue": [{"operator": "gte", "value": 50}]}'}
          rows={5}
          value={value.filterText}
          onChange={set("filterText")}
        />
      </details>
    </>
  );
}
