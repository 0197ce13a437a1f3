import type { Screen } from "../../routes.ts";

export const screens: Screen[] = [
  {
    path: "/planning",
    title: "Planning",
    words: "calculator, sample size, how long",
    group: "Learn",
    scope: "analytics:read",
    needs: "/sample-size",
    load: () => import("./planning.tsx"),
  },
];
