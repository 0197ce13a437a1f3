import type { Screen } from "../../routes.ts";

export const screens: Screen[] = [
  {
    path: "/quarantine",
    title: "Quarantine",
    words: "errors, lost events",
    group: "Connect",
    scope: "analytics:read",
    needs: "/analytics/quarantine",
    load: () => import("./quarantine.tsx"),
  },
];
