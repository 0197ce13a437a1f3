import type { Screen } from "../../routes.ts";

const shared = { scope: "personalizations:read", needs: "/personalizations" } as const;

export const screens: Screen[] = [
  {
    ...shared,
    path: "/personalizations",
    title: "Personalizations",
    group: "Deliver",
    load: () => import("./list.tsx"),
  },
  {
    ...shared,
    path: "/personalizations/new",
    title: "New personalization",
    scope: "personalizations:write",
    load: () => import("./new.tsx"),
  },
  {
    ...shared,
    path: "/personalizations/:personalization_id",
    title: "Personalization",
    load: () => import("./personalization.tsx"),
  },
  {
    ...shared,
    path: "/personalizations/:personalization_id/results",
    title: "Results of a personalization",
    load: () => import("./results.tsx"),
  },
];
