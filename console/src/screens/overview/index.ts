import type { Screen } from "../../routes.ts";

export const screens: Screen[] = [
  {
    path: "",
    title: "Overview",
    group: "",
    scope: "analytics:read",
    needs: "/analytics/overview",
    first: "/analytics/overview?limit=100",
    load: () => import("./overview.tsx"),
  },
];
