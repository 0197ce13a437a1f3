import { useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at, withQuery } from "../../address.ts";
import { api, data, ifMatch } from "../../api/client.ts";
import { type Loaded, useLoaded } from "../../api/loading.ts";
import { asProblem, Problem } from "../../api/problems.ts";
import { SearchFilter } from "../../kit/filters.tsx";
import { Page } from "../../kit/page.tsx";
import { Empty, Shown } from "../../kit/state.tsx";
import { notify } from "../../kit/toast.tsx";
import { may } from "../../session/session.ts";
import { Card } from "./card.tsx";
import { type Idea, readIdeas, reordered, STAGES, type Stage } from "./ideas.ts";

/** The ideas of the shop by stage. */
export default function Board() {
  const { url, query, route } = useLocation();
  const { q, tag } = query;
  const sort = query.sort === "score" ? "-score" : "rank";
  const ideas = useLoaded(() => readIdeas(sort, q, tag), [sort, q, tag]);
  const filter = (values: Record<string, string>) => route(withQuery(url, values), true);
  const create = may("backlog:write") && (
    <a class="button primary" href={at("/backlog/new")}>
      New idea
    </a>
  );
  return (
    <Page
      title="Backlog"
      lead="Ideas for tests, with a score of impact, confidence and ease. The service moves an idea when its experiment runs."
      actions={create}
    >
      <div class="filters">
        <SearchFilter label="Title or key" value={q} onSearch={(text) => filter({ q: text })} />
        <SearchFilter label="Tag" value={tag} onSearch={(text) => filter({ tag: text })} />
        <select
          aria-label="Order"
          value={query.sort ?? ""}
          onChange={(event) => filter({ sort: event.currentTarget.value })}
        >
          <option value="">In your order</option>
          <option value="score">By score</option>
        </select>
      </div>
      <Shown of={ideas}>
        {(read) =>
          read.length ? (
            <Columns ideas={read} of={ideas} canOrder={sort === "rank" && !q && !tag} />
          ) : q || tag ? (
            <Empty title="No idea is like this" />
          ) : (
            <Empty title="No idea yet" action={create}>
              <p>Write down what might help the shop, why you think so, and score it. The best ideas become tests.</p>
            </Empty>
          )
        }
      </Shown>
    </Page>
  );
}

interface ColumnsProps {
  ideas: Idea[];
  of: Loaded<Idea[]>;
  canOrder: boolean;
}

function Columns({ ideas, of, canOrder }: ColumnsProps) {
  const [dragged, setDragged] = useState<string | null>(null);
  const [said, setSaid] = useState("");
  const canWrite = may("backlog:write");
  const sent = useRef(Promise.resolve());
  // The board shows a move at once, and goes back where the service refuses it. Moves arrive in their order.
  const change = (next: Idea[], send: () => Promise<unknown>, words: string) => {
    of.replace(next);
    setSaid(words);
    sent.current = sent.current.then(async () => {
      try {
        await send();
      } catch (thrown) {
        notify(asProblem(thrown).message, "bad");
        await of.reload();
      }
    });
  };
  const moveTo = (idea: Idea, stage: Stage) => {
    if (idea.stage === stage) return;
    const next = ideas.map((each) => (each.id === idea.id ? { ...each, stage } : each));
    change(next, () => moved(idea, stage), `${idea.title} is now in ${labelOf(stage)}`);
  };
  const step = (idea: Idea, by: -1 | 1) => {
    const next = reordered(ideas, idea.id, by);
    const send = () => data(api.PUT("/backlog/ideas/order", { body: { ids: next.map(({ id }) => id) } }));
    change(next, send, `${idea.title} is further ${by < 0 ? "up" : "down"}`);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable with keys */}
      <section class="board" aria-label="Ideas by stage" tabIndex={0}>
        {STAGES.map(({ value, label }) => {
          const here = ideas.filter(({ stage }) => stage === value);
          return (
            <section
              key={value}
              class="stage"
              aria-label={label}
              onDragOver={(event) => {
                if (dragged) event.preventDefault();
              }}
              onDrop={(event) => {
                event.preventDefault();
                const idea = ideas.find(({ id }) => id === dragged);
                if (idea) moveTo(idea, value);
                setDragged(null);
              }}
            >
              <h2>
                {label} <span class="soft">{here.length}</span>
              </h2>
              <ul>
                {here.map((idea, index) => (
                  <Card
                    key={idea.id}
                    idea={idea}
                    isFirst={index === 0}
                    isLast={index === here.length - 1}
                    canWrite={canWrite}
                    onDrag={setDragged}
                    onStage={(stage) => moveTo(idea, stage)}
                    onStep={canOrder && canWrite ? (by) => step(idea, by) : undefined}
                  />
                ))}
              </ul>
            </section>
          );
        })}
      </section>
      <p class="unseen" aria-live="polite">
        {said}
      </p>
    </>
  );
}

/** Move an idea from the stage that the board shows. Rejects with a Problem where another person has moved it since. */
async function moved(idea: Idea, stage: Stage): Promise<void> {
  const path = { idea_id: idea.id };
  const read = await data(api.GET("/backlog/ideas/{idea_id}", { params: { path } }));
  if (read.stage !== idea.stage) {
    const message = `${idea.title} was moved to ${labelOf(read.stage)} since you opened the board. Nothing is changed.`;
    throw new Problem({ status: 412, code: "version_conflict", message });
  }
  const params = { path, header: ifMatch(read) };
  await data(api.PATCH("/backlog/ideas/{idea_id}", { params, body: { stage } }));
}

function labelOf(stage: Stage): string {
  return STAGES.find(({ value }) => value === stage)?.label ?? stage;
}
