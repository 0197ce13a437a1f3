import type { Screen } from "../../routes.ts";

export const screens: Screen[] = [
  {
    path: "/people",
    title: "People",
    group: "Shop",
    scope: "shop:read",
    load: () => import("./people.tsx"),
  },
  { path: "/people/me", title: "My account", load: () => import("./account.tsx") },
];
