import type { Screen } from "../../routes.ts";

const shared = { scope: "landing_pages:read", needs: "/landing-pages" } as const;
const path = "/landing-pages/:landing_page_id";

export const screens: Screen[] = [
  { ...shared, path: "/landing-pages", title: "Landing pages", group: "Library", load: () => import("./list.tsx") },
  {
    ...shared,
    path: "/landing-pages/new",
    title: "New landing page",
    scope: "landing_pages:write",
    load: () => import("./new.tsx"),
  },
  { ...shared, path, title: "Landing page", load: () => import("./versions.tsx") },
  { ...shared, path: `${path}/write`, title: "New version", load: () => import("./write.tsx") },
  { ...shared, path: `${path}/qa`, title: "QA runs", load: () => import("./qa.tsx") },
  { ...shared, path: `${path}/publishes`, title: "Publishes", load: () => import("./publishes.tsx") },
  { ...shared, path: `${path}/variants`, title: "Variants", load: () => import("./variants.tsx") },
];
