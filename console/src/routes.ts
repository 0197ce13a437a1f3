import type { ComponentType } from "preact";
import type { paths } from "./api/schema.d.ts";
import { screens as assets } from "./screens/assets/index.ts";
import { screens as audiences } from "./screens/audiences/index.ts";
import { screens as audit } from "./screens/audit/index.ts";
import { screens as backlog } from "./screens/backlog/index.ts";
import { screens as brand } from "./screens/brand/index.ts";
import { screens as briefs } from "./screens/briefs/index.ts";
import { screens as editor } from "./screens/editor/index.ts";
import { screens as experiments } from "./screens/experiments/index.ts";
import { screens as exported } from "./screens/exports/index.ts";
import { screens as files } from "./screens/files/index.ts";
import { screens as flags } from "./screens/flags/index.ts";
import { screens as goals } from "./screens/goals/index.ts";
import { screens as groups } from "./screens/groups/index.ts";
import { screens as guardian } from "./screens/guardian/index.ts";
import { screens as inbox } from "./screens/inbox/index.ts";
import { screens as install } from "./screens/install/index.ts";
import { screens as keys } from "./screens/keys/index.ts";
import { screens as landing } from "./screens/landing/index.ts";
import { screens as overview } from "./screens/overview/index.ts";
import { screens as pages } from "./screens/pages/index.ts";
import { screens as people } from "./screens/people/index.ts";
import { screens as personalizations } from "./screens/personalizations/index.ts";
import { screens as planning } from "./screens/planning/index.ts";
import { screens as profile } from "./screens/profile/index.ts";
import { screens as program } from "./screens/program/index.ts";
import { screens as quarantine } from "./screens/quarantine/index.ts";
import { screens as results } from "./screens/results/index.ts";
import { screens as screenshots } from "./screens/screenshots/index.ts";
import { screens as settings } from "./screens/settings/index.ts";
import { screens as webhooks } from "./screens/webhooks/index.ts";

export type Group = "" | "Deliver" | "Learn" | "Library" | "Connect" | "Shop";

export interface Screen {
  /** Behind `/console/<shop>`, for example `/flags/:flag_id`. */
  path: string;
  title: string;
  /** What people may call it who search for it. */
  words?: string;
  /** Without this scope the screen says who can give it. */
  scope?: string;
  /** The route that the screen lives from. One that the API does not have is an error when the console is built. */
  needs?: keyof paths;
  /** What it reads first where its address has no query: asked for together with its code. */
  first?: string;
  /** Where the navigation has it; screens of one thing are not in it. */
  group?: Group;
  load: () => Promise<{ default: ComponentType }>;
}

/** Every screen, in the order of the navigation. */
export const SCREENS: readonly Screen[] = [
  // One a line: each release adds some.
  ...overview,
  ...experiments,
  ...results,
  ...editor,
  ...flags,
  ...personalizations,
  ...landing,
  ...backlog,
  ...planning,
  ...program,
  ...pages,
  ...audiences,
  ...goals,
  ...groups,
  ...assets,
  ...screenshots,
  ...exported,
  ...briefs,
  ...files,
  ...install,
  ...webhooks,
  ...keys,
  ...quarantine,
  ...guardian,
  ...inbox,
  ...brand,
  ...profile,
  ...settings,
  ...people,
  ...audit,
];

export const GROUPS: readonly Group[] = ["", "Deliver", "Learn", "Library", "Connect", "Shop"];
