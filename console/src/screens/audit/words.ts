import { inWords } from "../../kit/badge.tsx";

/** Kinds of things that changes are about, with the screen where each is; null where it has none of its own. */
export const THINGS: Record<string, { words: string; path: string | null }> = {
  experiment: { words: "experiment", path: "/experiments" },
  variation: { words: "variation", path: null },
  goal: { words: "goal", path: null },
  feature_flag: { words: "feature flag", path: "/flags" },
  flag: { words: "feature flag", path: "/flags" },
  personalization: { words: "personalization", path: "/personalizations" },
  page: { words: "page", path: "/pages" },
  audience: { words: "audience", path: "/audiences" },
  landing_page: { words: "landing page", path: "/landing-pages" },
  asset: { words: "asset", path: "/assets" },
  webhook: { words: "webhook", path: "/webhooks" },
  api_key: { words: "API key", path: "/keys" },
  settings: { words: "settings", path: "/settings" },
  shop: { words: "shop", path: "/settings" },
  inbox_message: { words: "inbox message", path: "/inbox" },
  data_layer_trigger: { words: "data-layer trigger", path: "/settings/triggers" },
  idea: { words: "idea", path: "/backlog" },
  screenshot_job: { words: "screenshots", path: null },
  workspace_file: { words: "file", path: "/files" },
  member: { words: "member", path: "/people" },
  invitation: { words: "invitation", path: "/people" },
};

/** Those without an id in their address. */
const WHOLE = new Set(["/settings", "/inbox", "/people", "/backlog"]);

/** Return the screen of the thing that a change is about; null where there is none. */
export function placeOf(entity_type: string, entity_id: string): string | null {
  const path = THINGS[entity_type]?.path;
  if (!path) return null;
  return WHOLE.has(path) ? path : `${path}/${encodeURIComponent(entity_id)}`;
}

/** Return what was done as a person reads it: `api_key.rotate` as "API key: rotate". */
export function titleOf({ action, entity_type }: { action: string; entity_type: string }): string {
  return `${thingOf(entity_type)}: ${inWords(action.slice(action.indexOf(".") + 1))}`;
}

export function thingOf(entity_type: string): string {
  return THINGS[entity_type]?.words ?? inWords(entity_type);
}

export interface Line {
  field: string;
  before: string;
  after: string;
}

/** Return the lines of a diff, `{field: [before, after]}`, as text. */
export function linesOf(diff: unknown): Line[] {
  if (typeof diff !== "object" || diff === null) return [];
  return Object.entries(diff).map(([field, pair]) => {
    const [before, after] = Array.isArray(pair) && pair.length === 2 ? pair : [null, pair];
    return { field, before: textOf(before), after: textOf(after) };
  });
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "string") return value;
  if (isHashed(value)) return `${value.length} characters, SHA-256 ${value.sha256.slice(0, 12)}…`;
  return JSON.stringify(value, null, 2);
}

/** Code and long texts stand in the audit as their length and hash. */
function isHashed(value: unknown): value is { length: number; sha256: string } {
  return typeof value === "object" && value !== null && "sha256" in value && "length" in value;
}
