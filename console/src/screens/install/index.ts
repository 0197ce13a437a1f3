import type { Screen } from "../../routes.ts";

export const screens: Screen[] = [
  {
    path: "/install",
    title: "Install check",
    words: "snippet, tag, script, installation",
    group: "Connect",
    scope: "settings:read",
    needs: "/settings/install",
    load: () => import("./install.tsx"),
  },
];
