import type { Schemas } from "../../api/client.ts";
import { readJson } from "../../kit/json.tsx";
import type { TypedGoal } from "./fields.tsx";

/** Return what was typed about a goal as the API takes it. Throws a Problem where the filter is not JSON. */
export function bodyOf(typed: Partial<TypedGoal>): Partial<Schemas["GoalUpdate"]> {
  const { filterText, ...fields } = typed;
  if (filterText === undefined) return fields;
  return { ...fields, filter: filterText.trim() ? (readJson("filter", filterText) as Schemas["GoalFilter"]) : null };
}
