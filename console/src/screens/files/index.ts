import type { Screen } from "../../routes.ts";

const shared = { scope: "workspace:read", needs: "/workspace/files" } as const;

export const screens: Screen[] = [
  { ...shared, path: "/files", title: "Workspace", group: "Library", load: () => import("./list.tsx") },
  { ...shared, path: "/files/open", title: "File of the workspace", load: () => import("./file.tsx") },
  { ...shared, path: "/files/new", title: "New file", scope: "workspace:write", load: () => import("./new.tsx") },
  {
    path: "/files/import",
    title: "Experiment from files",
    scope: "experiments:write",
    needs: "/experiments/filesystem/plan",
    load: () => import("./import.tsx"),
  },
  {
    path: "/experiments/:experiment_id/files",
    title: "Files of an experiment",
    scope: "experiments:read",
    needs: "/experiments/{experiment_id}/filesystem",
    load: () => import("./experiment.tsx"),
  },
];
