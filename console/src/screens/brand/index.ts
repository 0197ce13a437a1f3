import type { Screen } from "../../routes.ts";

export const screens: Screen[] = [
  {
    path: "/brand",
    title: "Brand",
    group: "Library",
    scope: "brand:read",
    needs: "/brand-context",
    load: () => import("./brand.tsx"),
  },
];
