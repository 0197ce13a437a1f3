import type { Screen } from "../../routes.ts";

export const screens: Screen[] = [
  {
    path: "/store-profile",
    title: "Store profile",
    group: "Library",
    scope: "brand:read",
    needs: "/store-profile",
    load: () => import("./profile.tsx"),
  },
];
