import type { Screen } from "../../routes.ts";

const SHARED = { scope: "audit:read", needs: "/audit-logs" } as const;

export const screens: Screen[] = [
  { path: "/audit", title: "Audit", group: "Shop", ...SHARED, load: () => import("./list.tsx") },
  { path: "/audit/seals", title: "Seals", ...SHARED, load: () => import("./seals.tsx") },
  { path: "/audit/:audit_log_id", title: "Change", ...SHARED, load: () => import("./entry.tsx") },
];
