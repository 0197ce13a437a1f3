import type { Screen } from "../../routes.ts";

export const screens: Screen[] = [
  {
    path: "/experiments/:experiment_id/edit/:variation_id",
    title: "Visual editor",
    scope: "experiments:read",
    needs: "/previews",
    load: () => import("../../editor/editor.tsx"),
  },
];
