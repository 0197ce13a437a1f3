import type { Screen } from "../../routes.ts";

const shared = { scope: "experiments:read", needs: "/pages" } as const;

export const screens: Screen[] = [
  {
    ...shared,
    path: "/pages",
    title: "Pages",
    words: "address rules, URL targeting",
    group: "Library",
    load: () => import("./list.tsx"),
  },
  { ...shared, path: "/pages/new", title: "New page", scope: "experiments:write", load: () => import("./new.tsx") },
  { ...shared, path: "/pages/:page_id", title: "Page", load: () => import("./page.tsx") },
];
