import type { Screen } from "../../routes.ts";

const shared = { scope: "screenshots:read", needs: "/screenshots" } as const;

export const screens: Screen[] = [
  { ...shared, path: "/screenshots", title: "Screenshots", group: "Library", load: () => import("./list.tsx") },
  {
    ...shared,
    path: "/screenshots/new",
    title: "New screenshots",
    scope: "screenshots:write",
    load: () => import("./new.tsx"),
  },
  { ...shared, path: "/screenshots/:job_id", title: "Screenshots of a job", load: () => import("./job.tsx") },
];
