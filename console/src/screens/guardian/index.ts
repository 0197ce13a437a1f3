import type { Screen } from "../../routes.ts";

export const screens: Screen[] = [
  {
    path: "/guardian",
    title: "Guardian",
    words: "monitoring, alarms",
    group: "Learn",
    scope: "analytics:read",
    needs: "/experiments/{experiment_id}/health",
    load: () => import("./findings.tsx"),
  },
  {
    path: "/guardian/settings",
    title: "Guardian settings",
    scope: "shop:read",
    needs: "/shop/defaults",
    load: () => import("./settings.tsx"),
  },
];
