import type { Screen } from "../../routes.ts";

export const screens: Screen[] = [
  {
    path: "/experiments/:experiment_id/results",
    title: "Results",
    scope: "analytics:read",
    needs: "/experiments/{experiment_id}/report",
    load: () => import("./results.tsx"),
  },
];
