import type { Screen } from "../../routes.ts";

const shared = { scope: "experiments:read", needs: "/audiences" } as const;

export const screens: Screen[] = [
  {
    ...shared,
    path: "/audiences",
    title: "Audiences",
    words: "segments, visitors",
    group: "Library",
    load: () => import("./list.tsx"),
  },
  {
    ...shared,
    path: "/audiences/new",
    title: "New audience",
    scope: "experiments:write",
    load: () => import("./new.tsx"),
  },
  { ...shared, path: "/audiences/:audience_id", title: "Audience", load: () => import("./audience.tsx") },
];
