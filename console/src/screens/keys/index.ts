import type { Screen } from "../../routes.ts";

const SHARED = { needs: "/api-keys" } as const;

export const screens: Screen[] = [
  {
    path: "/keys",
    title: "API keys",
    words: "tokens, access of programs",
    group: "Connect",
    scope: "keys:read",
    ...SHARED,
    load: () => import("./list.tsx"),
  },
  { path: "/keys/new", title: "New key", scope: "keys:write", ...SHARED, load: () => import("./new.tsx") },
  { path: "/keys/:key_id", title: "API key", scope: "keys:read", ...SHARED, load: () => import("./key.tsx") },
];
