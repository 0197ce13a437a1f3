import type { Screen } from "../../routes.ts";

export const screens: Screen[] = [
  { path: "", title: "Overview", group: "", scope: "experiments:read", load: () => import("./overview.tsx") },
];
