import type { Screen } from "../../routes.ts";

export const screens: Screen[] = [
  {
    path: "/exports",
    title: "Exports",
    words: "download, CSV",
    group: "Learn",
    scope: "analytics:read",
    needs: "/exports",
    load: () => import("./exports.tsx"),
  },
];
