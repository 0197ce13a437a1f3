import type { Screen } from "../../routes.ts";

const scope = "experiments:read";

export const screens: Screen[] = [
  {
    path: "/experiments",
    title: "Experiments",
    group: "Deliver",
    scope,
    needs: "/experiments",
    first: "/experiments?sort=-updated_at",
    load: () => import("./list.tsx"),
  },
  {
    path: "/experiments/new",
    title: "New experiment",
    scope: "experiments:write",
    needs: "/experiments",
    load: () => import("./new/start.tsx"),
  },
  {
    path: "/experiments/new/:experiment_id",
    title: "Steps of a new experiment",
    scope: "experiments:write",
    needs: "/experiments/{experiment_id}",
    load: () => import("./new/draft.tsx"),
  },
  {
    path: "/experiments/:experiment_id",
    title: "Design of an experiment",
    scope,
    needs: "/experiments/{experiment_id}",
    load: () => import("./design.tsx"),
  },
  {
    path: "/experiments/:experiment_id/targeting",
    title: "Targeting of an experiment",
    scope,
    needs: "/experiments/{experiment_id}",
    load: () => import("./targeting.tsx"),
  },
  {
    path: "/experiments/:experiment_id/goals",
    title: "Goals of an experiment",
    scope,
    needs: "/experiments/{experiment_id}",
    load: () => import("./goals.tsx"),
  },
  {
    path: "/experiments/:experiment_id/plan",
    title: "Plan of an experiment",
    scope,
    needs: "/experiments/{experiment_id}",
    load: () => import("./plan.tsx"),
  },
  {
    path: "/experiments/:experiment_id/health",
    title: "Health of an experiment",
    scope,
    needs: "/experiments/{experiment_id}/health",
    load: () => import("./health.tsx"),
  },
  {
    path: "/experiments/:experiment_id/history",
    title: "History of an experiment",
    scope,
    needs: "/experiments/{experiment_id}/history",
    load: () => import("./history.tsx"),
  },
  {
    path: "/experiments/:experiment_id/approval",
    title: "Approval of an experiment",
    scope,
    needs: "/experiments/{experiment_id}/approvals",
    load: () => import("./approval.tsx"),
  },
];
