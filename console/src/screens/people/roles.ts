export type Role = "viewer" | "client" | "editor" | "launcher" | "admin" | "owner";

/** What each role may do, from the least to the most. */
export const ROLES: Record<Role, string> = {
  viewer: "Looks at everything but keys, and changes nothing.",
  client: "Looks at everything, approves experiments, and writes to the inbox. Does not see the other people.",
  editor: "Also changes drafts. What shoppers see stays as it is.",
  launcher: "Also launches, pauses, publishes and approves.",
  admin: "Everything in the shops, with settings and keys; invites people.",
  owner: "As an admin; also makes owners.",
};

export const ROLE_OPTIONS = (Object.keys(ROLES) as Role[]).map((value) => ({ value, label: value }));

export interface Member {
  user_id: string;
  email: string | null;
  name: string | null;
  role: Role;
  shop_ids: string[] | null;
  is_you: boolean;
  has_passkey: boolean;
  disabled_at: string | null;
  created_at: string | null;
}

export interface Invited {
  id: string;
  email: string;
  role: Role;
  shop_ids: string[] | null;
  invited_by: string;
  created_at: string;
  expires_at: string;
  is_open: boolean;
}

/** Return how a person is called here. */
export function nameOf(member: Pick<Member, "name" | "email" | "user_id">): string {
  return member.name ?? member.email ?? `Person ${member.user_id.slice(0, 8)}`;
}

/** Say which shops somebody may see. */
export function shopsInWords(
  shop_ids: readonly string[] | null,
  shops: readonly { id: string; name: string }[],
): string {
  if (shop_ids === null) return "all shops";
  const known = shops.filter(({ id }) => shop_ids.includes(id)).map(({ name }) => name);
  const others = shop_ids.length - known.length;
  return [...known, ...(others ? [`${others} more`] : [])].join(", ");
}

const BROWSERS: [RegExp, string][] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrome\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const SYSTEMS: [RegExp, string][] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

/** Name a browser and its system, from how it calls itself; else the beginning of that. */
export function browserIn(agent: string): string {
  const browser = BROWSERS.find(([pattern]) => pattern.test(agent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(agent))?.[1];
  if (!browser) return agent.slice(0, 40) || "unknown";
  return system ? `${browser} on ${system}` : browser;
}
