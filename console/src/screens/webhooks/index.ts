import type { Screen } from "../../routes.ts";

const SHARED = { scope: "webhooks:read", needs: "/webhooks" } as const;

export const screens: Screen[] = [
  { path: "/webhooks", title: "Webhooks", group: "Connect", ...SHARED, load: () => import("./list.tsx") },
  { path: "/webhooks/new", title: "New webhook", ...SHARED, scope: "webhooks:write", load: () => import("./new.tsx") },
  { path: "/webhooks/:webhook_id", title: "Webhook", ...SHARED, load: () => import("./webhook.tsx") },
  {
    path: "/webhooks/:webhook_id/edit",
    title: "Edit webhook",
    ...SHARED,
    scope: "webhooks:write",
    load: () => import("./edit.tsx"),
  },
  {
    path: "/webhooks/:webhook_id/deliveries/:delivery_id",
    title: "Delivery",
    ...SHARED,
    load: () => import("./delivery.tsx"),
  },
];
