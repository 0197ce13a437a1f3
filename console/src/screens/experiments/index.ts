import type { Screen } from "../../routes.ts";

export const screens: Screen[] = [
  {
    path: "/experiments",
    title: "Experiments",
    group: "Deliver",
    scope: "experiments:read",
    needs: "/experiments",
    load: () => import("./list.tsx"),
  },
];
