import type { Screen } from "../../routes.ts";

const shared = { group: "Learn", scope: "analytics:read" } as const;

export const screens: Screen[] = [
  { ...shared, path: "/program", title: "Program", needs: "/analytics/program", load: () => import("./program.tsx") },
  {
    ...shared,
    path: "/traffic",
    title: "Visitors and orders",
    words: "traffic, funnel, conversion rate",
    needs: "/analytics/stats",
    load: () => import("./traffic.tsx"),
  },
];
