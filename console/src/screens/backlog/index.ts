import type { Screen } from "../../routes.ts";

const shared = { scope: "backlog:read", needs: "/backlog/ideas" } as const;

export const screens: Screen[] = [
  { ...shared, path: "/backlog", title: "Backlog", words: "ideas", group: "Learn", load: () => import("./board.tsx") },
  { ...shared, path: "/backlog/new", title: "New idea", scope: "backlog:write", load: () => import("./new.tsx") },
  { ...shared, path: "/backlog/:idea_id", title: "Idea", load: () => import("./idea.tsx") },
];
