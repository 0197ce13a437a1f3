import type { Screen } from "../../routes.ts";

export const screens: Screen[] = [
  {
    path: "/people",
    title: "People",
    words: "team, users, invite a colleague, roles",
    group: "Shop",
    scope: "shop:read",
    load: () => import("./people.tsx"),
  },
  {
    path: "/people/me",
    title: "My account",
    words: "dark colours, theme, passkeys, my name",
    load: () => import("./account.tsx"),
  },
];
