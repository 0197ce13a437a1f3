import type { Screen } from "../../routes.ts";

const shared = { scope: "flags:read", needs: "/flags" } as const;

export const screens: Screen[] = [
  {
    ...shared,
    path: "/flags",
    title: "Flags",
    words: "feature flags, rollout",
    group: "Deliver",
    load: () => import("./list.tsx"),
  },
  { ...shared, path: "/flags/new", title: "New flag", scope: "flags:write", load: () => import("./new.tsx") },
  { ...shared, path: "/flags/tester", title: "Who gets what", load: () => import("./tester.tsx") },
  { ...shared, path: "/flags/:flag_id", title: "Flag", load: () => import("./flag.tsx") },
];
