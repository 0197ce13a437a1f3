import { api, data, type Schemas } from "../../api/client.ts";

export type Idea = Schemas["Idea"];
export type Stage = Idea["stage"];

export const STAGES: readonly { value: Stage; label: string }[] = [
  { value: "new", label: "New" },
  { value: "triaged", label: "Triaged" },
  { value: "planned", label: "Planned" },
  { value: "in_test", label: "In test" },
  { value: "done", label: "Done" },
  { value: "rejected", label: "Rejected" },
];

const PAGE = 100;
const MOST = 500;

/** Read the ideas in one of their orders: as many as can be ordered at once. */
export async function readIdeas(sort: "rank" | "-score", q?: string, tag?: string): Promise<Idea[]> {
  const ideas: Idea[] = [];
  let cursor: string | undefined;
  do {
    const page = await data(api.GET("/backlog/ideas", { params: { query: { sort, q, tag, limit: PAGE, cursor } } }));
    ideas.push(...page.data);
    cursor = page.pagination.next_cursor ?? undefined;
  } while (cursor && ideas.length < MOST);
  return ideas;
}

/** Return the ideas with one of them a place further up or down among those of its stage. */
export function reordered(ideas: readonly Idea[], id: string, step: -1 | 1): Idea[] {
  const from = ideas.findIndex((each) => each.id === id);
  const moving = ideas[from];
  if (!moving) return [...ideas];
  let to = from + step;
  while (ideas[to] && ideas[to]?.stage !== moving.stage) to += step;
  const other = ideas[to];
  return other ? ideas.with(from, other).with(to, moving) : [...ideas];
}
