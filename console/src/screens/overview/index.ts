import type { Screen } from "../../routes.ts";

export const screens: Screen[] = [
  {
    path: "",
    title: "Overview",
    group: "",
    scope: "analytics:read",
    needs: "/analytics/overview",
    load: () => import("./overview.tsx"),
  },
];
