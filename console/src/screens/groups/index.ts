import type { Screen } from "../../routes.ts";

const shared = { scope: "experiments:read", needs: "/exclusion-groups" } as const;

export const screens: Screen[] = [
  {
    ...shared,
    path: "/exclusion-groups",
    title: "Exclusion groups",
    words: "mutually exclusive",
    group: "Library",
    load: () => import("./list.tsx"),
  },
  {
    ...shared,
    path: "/exclusion-groups/new",
    title: "New exclusion group",
    scope: "experiments:write",
    load: () => import("./new.tsx"),
  },
  { ...shared, path: "/exclusion-groups/:group_id", title: "Exclusion group", load: () => import("./group.tsx") },
];
