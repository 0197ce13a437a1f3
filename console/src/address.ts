import { shopId } from "./api/client.ts";

export const BASE = "/console";

/** Return the address of a screen of the shop on the screen: `at("/flags", id)`. */
export function at(path: string, ...parts: (string | number)[]): string {
  return [`${BASE}/${shopId.value}${path}`, ...parts.map((part) => encodeURIComponent(part))].join("/");
}

/** Return an address with these values in its query; null, undefined and "" remove one. */
export function withQuery(address: string, values: Record<string, string | null | undefined>): string {
  const [path, query] = address.split("?", 2);
  const parameters = new URLSearchParams(query);
  for (const [name, value] of Object.entries(values)) {
    if (value) parameters.set(name, value);
    else parameters.delete(name);
  }
  const text = parameters.toString();
  return text ? `${path}?${text}` : (path ?? "");
}
