import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, ifMatch } from "../../api/client.ts";
import { type Loaded, useDoing, useLoaded } from "../../api/loading.ts";
import { Badge } from "../../kit/badge.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { EditButton } from "../../kit/edit_button.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { Page } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { Shown } from "../../kit/state.tsx";
import { Ago } from "../../kit/values.tsx";
import { Verbs } from "../../kit/verbs.tsx";
import { may } from "../../session/session.ts";
import { IdeaFields } from "./fields.tsx";
import { type Idea, STAGES } from "./ideas.ts";
import { Links } from "./links.tsx";

/** One idea with its experiments. */
export default function IdeaScreen() {
  const idea_id = useRoute().params.idea_id ?? "";
  const idea = useLoaded(() => data(api.GET("/backlog/ideas/{idea_id}", { params: { path: { idea_id } } })), [idea_id]);
  return <Shown of={idea}>{(read) => <Filled idea={read} of={idea} />}</Shown>;
}

function Filled({ idea, of }: { idea: Idea; of: Loaded<Idea> }) {
  const [isEditing, setEditing] = useState(false);
  const [isDrafting, setDrafting] = useState(false);
  const isArchived = idea.archived_at !== null;
  const canWrite = may("backlog:write");
  return (
    <Page
      title={idea.title}
      above={
        <>
          <a href={at("/backlog")}>Backlog</a> · {idea.key}
        </>
      }
      beside={<Badge>{isArchived ? "archived" : STAGES.find(({ value }) => value === idea.stage)?.label}</Badge>}
      actions={
        canWrite && (
          <>
            {!isArchived && may("experiments:write") && (
              <button type="button" class="primary" onClick={() => setDrafting(true)}>
                Make a draft
              </button>
            )}
            {!isArchived && <EditButton isOpen={isEditing} onToggle={() => setEditing(!isEditing)} />}
            <IdeaVerbs idea={idea} of={of} />
          </>
        )
      }
    >
      {isEditing ? (
        <Edit idea={idea} of={of} onDone={() => setEditing(false)} />
      ) : (
        <dl class="facts">
          <dt>Hypothesis</dt>
          <dd class="prose">{idea.hypothesis ?? "–"}</dd>
          <dt>What speaks for it</dt>
          <dd class="prose">{idea.evidence ?? "–"}</dd>
          <dt>Score</dt>
          <dd>
            {idea.score === null ? "none yet" : <strong>{idea.score.toFixed(1)}</strong>}{" "}
            <span class="soft">
              impact {idea.impact ?? "–"}, confidence {idea.confidence ?? "–"}, ease {idea.ease ?? "–"}
            </span>
          </dd>
          <dt>Tags</dt>
          <dd>{idea.tags.join(", ") || "–"}</dd>
          <dt>Changed</dt>
          <dd>
            <Ago at={idea.updated_at} />
          </dd>
        </dl>
      )}
      <Links idea={idea} reload={of.reload} canWrite={canWrite && !isArchived} />
      {isDrafting && <MakeDraft idea={idea} onClose={() => setDrafting(false)} />}
    </Page>
  );
}

function IdeaVerbs({ idea, of }: { idea: Idea; of: Loaded<Idea> }) {
  const { route } = useLocation();
  const params = { path: { idea_id: idea.id }, header: ifMatch(idea) };
  return (
    <Verbs
      verbs={[
        idea.archived_at === null
          ? {
              label: "Archive",
              run: async () =>
                of.replace(
                  saved(await data(api.POST("/backlog/ideas/{idea_id}/archive", { params })), "Idea is archived"),
                ),
            }
          : {
              label: "Bring back",
              run: async () =>
                of.replace(
                  saved(await data(api.POST("/backlog/ideas/{idea_id}/unarchive", { params })), "Idea is back"),
                ),
            },
        {
          label: "Delete",
          tone: "harm",
          run: async () => {
            await data(api.DELETE("/backlog/ideas/{idea_id}", { params }));
            saved({}, "Idea deleted");
            route(at("/backlog"));
          },
          ask: <p>The idea is gone for good. Its experiments stay as they are.</p>,
        },
      ]}
    />
  );
}

function Edit({ idea, of, onDone }: { idea: Idea; of: Loaded<Idea>; onDone: () => void }) {
  const { title, hypothesis, evidence, stage, impact, confidence, ease, tags } = idea;
  const edit = useEdit({ title, hypothesis, evidence, stage, impact, confidence, ease, tags });
  const doing = useDoing();
  const save = async () => {
    const params = { path: { idea_id: idea.id }, header: ifMatch(idea) };
    of.replace(saved(await data(api.PATCH("/backlog/ideas/{idea_id}", { params, body: edit.changed }))));
    edit.reset();
    onDone();
  };
  return (
    <Form doing={doing} submit="Save" onSubmit={save} isDirty={edit.isDirty}>
      <IdeaFields value={edit.draft} set={edit.on} />
      <Conflict doing={doing} contested={edit.contested} reload={of.reload} />
    </Form>
  );
}

function MakeDraft({ idea, onClose }: { idea: Idea; onClose: () => void }) {
  const [name, setName] = useState(idea.title);
  const doing = useDoing();
  const { route } = useLocation();
  const make = async () => {
    const params = { path: { idea_id: idea.id } };
    const experiment = await data(api.POST("/backlog/ideas/{idea_id}/experiment", { params, body: { name } }));
    saved(experiment, "The draft is made");
    route(at("/experiments", experiment.id));
  };
  return (
    <Dialog title="Make a draft of this idea" onClose={onClose}>
      <Form doing={doing} submit="Make the draft" onSubmit={make}>
        <p>An experiment with this name and the hypothesis. Nobody sees it until it is launched.</p>
        <TextField path="name" label="Name of the experiment" required value={name} onChange={setName} />
      </Form>
    </Dialog>
  );
}
