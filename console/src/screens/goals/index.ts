import type { Screen } from "../../routes.ts";

const shared = { scope: "experiments:read", needs: "/goals" } as const;

export const screens: Screen[] = [
  { ...shared, path: "/goals", title: "Goals", group: "Library", load: () => import("./list.tsx") },
  { ...shared, path: "/goals/new", title: "New goal", scope: "experiments:write", load: () => import("./new.tsx") },
  { ...shared, path: "/goals/:goal_id", title: "Goal", load: () => import("./goal.tsx") },
];
