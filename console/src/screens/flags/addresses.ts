import { at } from "../../address.ts";
import type { Schemas } from "../../api/client.ts";

export type Flag = Schemas["FeatureFlag"];

/** Return the address of a flag in its environment. */
export function addressOf({ id, environment_key }: Pick<Flag, "id" | "environment_key">): string {
  const address = at("/flags", id);
  return environment_key === "production" ? address : `${address}?environment=${encodeURIComponent(environment_key)}`;
}

/** Return what names a flag in a call. */
export function named({ id, environment_key }: Flag) {
  return { path: { flag_id: id }, query: { environment_key } };
}

/** Return one of the two values. */
export function readValue(flag: Flag, key: "off" | "on"): unknown {
  return flag.variants.find((variant) => variant.key === key)?.value;
}
