import type { Screen } from "../../routes.ts";

const shared = { scope: "assets:read", needs: "/assets" } as const;

export const screens: Screen[] = [
  {
    ...shared,
    path: "/assets",
    title: "Files and pictures",
    words: "images, upload, media",
    group: "Library",
    load: () => import("./list.tsx"),
  },
  { ...shared, path: "/assets/:asset_id", title: "File", load: () => import("./asset.tsx") },
];
