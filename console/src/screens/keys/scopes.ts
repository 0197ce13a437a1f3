import type { Schemas } from "../../api/client.ts";

type ApiKey = Schemas["ApiKey"];
export type Scope = NonNullable<Schemas["ApiKeyCreate"]["scopes"]>[number];
export type Preset = NonNullable<Schemas["ApiKeyCreate"]["preset"]>;

/** What a key with a scope may do. A scope that the API gets and this table does not have is an error of the build. */
export const SCOPES: Record<Scope, string> = {
  "shop:read": "read the shop's name and defaults",
  "shop:write": "change the shop's name and defaults",
  "experiments:read": "read experiments",
  "experiments:write": "change experiments",
  "experiments:launch": "launch, pause and complete experiments",
  "approvals:write": "approve experiments",
  "flags:read": "read feature flags",
  "flags:write": "change feature flags",
  "flags:activate": "switch feature flags on and off",
  "personalizations:read": "read personalizations",
  "personalizations:write": "change personalizations",
  "personalizations:activate": "switch personalizations on and off",
  "landing_pages:read": "read landing pages",
  "landing_pages:write": "change landing pages",
  "landing_pages:publish": "publish landing pages",
  "assets:read": "read assets",
  "assets:write": "upload and change assets",
  "webhooks:read": "read webhooks and their deliveries",
  "webhooks:write": "change webhooks",
  "screenshots:read": "see screenshots",
  "screenshots:write": "take screenshots",
  "settings:read": "read settings",
  "settings:write": "change settings and publish",
  "analytics:read": "read results and figures",
  "brand:read": "read the brand's voice",
  "brand:write": "change the brand's voice",
  "audit:read": "read who changed what",
  "inbox:read": "read the inbox",
  "inbox:write": "write to the inbox",
  "backlog:read": "read ideas",
  "backlog:write": "change ideas",
  "workspace:read": "read the team's files",
  "workspace:write": "change the team's files",
  "previews:write": "make previews",
  "keys:read": "see API keys",
  "keys:write": "make and revoke API keys",
};

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];

/** The sets of scopes that have a name. */
export const PRESETS: Record<Preset, { title: string; words: string }> = {
  read_only: { title: "Read only", words: "Reads everything but keys, and changes nothing. For reports." },
  editor: { title: "Editor", words: "Also changes drafts. What shoppers see stays as it is." },
  launcher: { title: "Launcher", words: "Also launches, pauses, publishes and approves." },
  admin: { title: "Admin", words: "Everything, with settings, keys and the shop itself." },
};

const NOT_FOR_EDITORS: readonly Scope[] = ["keys:write", "settings:write", "shop:write", "approvals:write"];
const READS = ALL_SCOPES.filter((scope) => scope.endsWith(":read") && scope !== "keys:read");
const EDITS = ALL_SCOPES.filter((scope) => scope.endsWith(":write") && !NOT_FOR_EDITORS.includes(scope));
const LAUNCHES = ALL_SCOPES.filter((scope) => /:(launch|activate|publish)$/.test(scope) || scope === "approvals:write");
const SETS: readonly [readonly Scope[], string][] = [
  [ALL_SCOPES, "everything"],
  [READS, "reads everything, changes nothing"],
  [[...READS, ...EDITS], "reads everything, changes drafts"],
  [[...READS, ...EDITS, ...LAUNCHES], "reads everything, changes drafts, launches"],
];

const MOST_SHOWN = 3;

/** Say in a few words what a key may do. */
export function inShort(key: Pick<ApiKey, "kind" | "scopes">): string {
  if (key.kind === "tracking_source") return "sends events, nothing else";
  const named = SETS.find(([set]) => isSame(set, key.scopes));
  if (named) return named[1];
  const listed = without(key.scopes).map((scope) => SCOPES[scope] ?? scope);
  const shown = listed.slice(0, MOST_SHOWN).join(", ");
  return listed.length > MOST_SHOWN ? `${shown} and ${listed.length - MOST_SHOWN} more` : shown;
}

/** Leave out reading what may be changed: it is included. */
function without(scopes: readonly Scope[]): Scope[] {
  return scopes.filter(
    (scope) => !(scope.endsWith(":read") && scopes.includes(scope.replace(":read", ":write") as Scope)),
  );
}

function isSame(one: readonly Scope[], other: readonly Scope[]): boolean {
  const known = new Set(one);
  return known.size === other.length && other.every((scope) => known.has(scope));
}

export interface KeyState {
  words: string;
  tone: "good" | "bad" | "warn" | "plain";
}

const SOON_MS = 14 * 86_400_000;

/** Say whether a key works, and for how long. */
export function stateOf(key: ApiKey, now: number): KeyState {
  if (key.revoked_at) return { words: "revoked", tone: "bad" };
  const ends = key.expires_at ? Date.parse(key.expires_at) : null;
  if (ends !== null && ends <= now) return { words: "expired", tone: "bad" };
  if (key.rotated_to) return { words: "replaced, still works", tone: "warn" };
  if (ends !== null && ends - now < SOON_MS) return { words: "expires soon", tone: "warn" };
  return { words: "works", tone: "good" };
}
