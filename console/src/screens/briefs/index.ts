import type { Screen } from "../../routes.ts";

const shared = { scope: "landing_pages:read", needs: "/content-briefs" } as const;

export const screens: Screen[] = [
  { ...shared, path: "/content-briefs", title: "Content briefs", load: () => import("./list.tsx") },
  { ...shared, path: "/content-briefs/:brief_id", title: "Content brief", load: () => import("./brief.tsx") },
];
