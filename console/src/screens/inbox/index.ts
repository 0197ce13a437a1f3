import type { Screen } from "../../routes.ts";

export const screens: Screen[] = [
  {
    path: "/inbox",
    title: "Inbox",
    group: "Shop",
    scope: "inbox:read",
    needs: "/inbox/messages",
    load: () => import("./inbox.tsx"),
  },
];
