import { useState } from "preact/hooks";
import { at } from "../../address.ts";
import { api, data } from "../../api/client.ts";
import { useDoing, useLoaded } from "../../api/loading.ts";
import { inWords, Status } from "../../kit/badge.tsx";
import { SelectField } from "../../kit/choices.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Form } from "../../kit/form.tsx";
import { Section } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { Empty, Shown } from "../../kit/state.tsx";
import { Table } from "../../kit/table.tsx";
import { attempt } from "../../kit/toast.tsx";
import type { Idea } from "./ideas.ts";

interface Props {
  idea: Idea;
  reload: () => Promise<void>;
  canWrite: boolean;
}

/** The experiments of an idea, with what came of them. */
export function Links({ idea, reload, canWrite }: Props) {
  const [isLinking, setLinking] = useState(false);
  const links = idea.links ?? [];
  const detach = (experiment_id: string) =>
    attempt(async () => {
      const params = { path: { idea_id: idea.id, experiment_id } };
      await data(api.DELETE("/backlog/ideas/{idea_id}/links/{experiment_id}", { params }));
      await reload();
    }, "The link is removed");
  return (
    <Section
      title="Experiments"
      actions={
        canWrite && (
          <button type="button" onClick={() => setLinking(true)}>
            Link an experiment
          </button>
        )
      }
    >
      {links.length ? (
        <Table
          caption="Experiments of the idea"
          rows={links}
          keyOf={(row) => row.id}
          columns={[
            {
              title: "Experiment",
              isName: true,
              cell: (row) => <a href={at("/experiments", row.experiment_id)}>{row.experiment_name}</a>,
            },
            { title: "Status", cell: (row) => <Status status={row.experiment_status} /> },
            { title: "Link", cell: (row) => (row.link_type === "primary" ? "tests the idea" : "follows up") },
            { title: "Outcome", cell: (row) => (row.outcome ? inWords(row.outcome) : "–") },
            { title: "Learning", cell: (row) => row.learning ?? "–" },
            {
              title: "",
              cell: (row) =>
                canWrite && (
                  <button
                    type="button"
                    class="quiet"
                    aria-label={`Remove the link to ${row.experiment_name}`}
                    onClick={() => void detach(row.experiment_id)}
                  >
                    Remove
                  </button>
                ),
            },
          ]}
        />
      ) : (
        <Empty title="No experiment tests this idea yet">
          <p>Make a draft of the idea, or link an experiment that tests it already.</p>
        </Empty>
      )}
      {isLinking && <LinkDialog idea={idea} reload={reload} onClose={() => setLinking(false)} />}
    </Section>
  );
}

function LinkDialog({ idea, reload, onClose }: Omit<Props, "canWrite"> & { onClose: () => void }) {
  const [experiment_id, setExperiment] = useState("");
  const [type, setType] = useState(idea.links?.some((each) => each.link_type === "primary") ? "follow_up" : "primary");
  const doing = useDoing();
  const query = { limit: 100, sort: "-updated_at" as const };
  const experiments = useLoaded(() => data(api.GET("/experiments", { params: { query } })), []);
  const link = async () => {
    const body = { experiment_id, link_type: type === "primary" ? ("primary" as const) : ("follow_up" as const) };
    await data(api.POST("/backlog/ideas/{idea_id}/links", { params: { path: { idea_id: idea.id } }, body }));
    await reload();
    saved({}, "Experiment linked");
    onClose();
  };
  return (
    <Dialog title="Link an experiment" onClose={onClose}>
      <Form doing={doing} submit="Link it" onSubmit={link}>
        <Shown of={experiments}>
          {({ data: known }) => (
            <SelectField
              path="experiment_id"
              label="Experiment"
              required
              value={experiment_id}
              onChange={setExperiment}
              options={[{ value: "", label: "Choose" }, ...known.map(({ id, name }) => ({ value: id, label: name }))]}
            />
          )}
        </Shown>
        <SelectField
          path="link_type"
          label="It"
          required
          value={type}
          onChange={setType}
          options={[
            { value: "primary", label: "tests the idea" },
            { value: "follow_up", label: "follows it up" },
          ]}
        />
      </Form>
    </Dialog>
  );
}
