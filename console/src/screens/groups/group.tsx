import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { type Loaded, useDoing, useLoaded } from "../../api/loading.ts";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { EditButton } from "../../kit/edit_button.tsx";
import { Form } from "../../kit/form.tsx";
import { useLiveImpact } from "../../kit/live_impact.tsx";
import { Page } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { Empty, Shown } from "../../kit/state.tsx";
import { Table } from "../../kit/table.tsx";
import { percent } from "../../kit/values.tsx";
import { Verbs } from "../../kit/verbs.tsx";
import { may } from "../../session/session.ts";
import { GroupFields, MemberName, useExperiments } from "./fields.tsx";

type Group = Schemas["ExclusionGroup"];

/** One exclusion group: its experiments and their shares. */
export default function GroupScreen() {
  const group_id = useRoute().params.group_id ?? "";
  const group = useLoaded(
    () => data(api.GET("/exclusion-groups/{group_id}", { params: { path: { group_id } } })),
    [group_id],
  );
  return <Shown of={group}>{(read) => <Filled group={read} of={group} />}</Shown>;
}

function Filled({ group, of }: { group: Group; of: Loaded<Group> }) {
  const [isEditing, setEditing] = useState(false);
  const impact = useLiveImpact();
  const experiments = useExperiments();
  const { route } = useLocation();
  const remove = () =>
    impact.run(async (body) => {
      const params = { path: { group_id: group.id }, header: ifMatch(group) };
      await data(api.DELETE("/exclusion-groups/{group_id}", { params, body }));
      saved({}, "Group deleted");
      route(at("/exclusion-groups"));
    });
  return (
    <Page
      title={group.name}
      above={<a href={at("/exclusion-groups")}>Exclusion groups</a>}
      lead="A visitor takes part in one of these experiments at most."
      actions={
        may("experiments:write") && (
          <>
            <EditButton isOpen={isEditing} onToggle={() => setEditing(!isEditing)} />
            <Verbs
              verbs={[
                {
                  label: "Delete",
                  tone: "harm",
                  run: remove,
                  ask: <p>Its experiments then share visitors: one visitor may be in several of them.</p>,
                },
              ]}
            />
          </>
        )
      }
    >
      {isEditing ? (
        <Edit group={group} of={of} onDone={() => setEditing(false)} />
      ) : group.members.length ? (
        <Table
          caption="Experiments of the group"
          rows={group.members}
          keyOf={(row) => row.experiment_id}
          columns={[
            {
              title: "Experiment",
              isName: true,
              cell: (row) => <MemberName id={row.experiment_id} experiments={experiments.data} />,
            },
            { title: "Share of the visitors", isNumber: true, cell: (row) => percent(row.share, 0) },
          ]}
        />
      ) : (
        <Empty title="No experiment is in this group">
          <p>Edit the group to put in experiments of which a visitor should take part in one at most.</p>
        </Empty>
      )}
      {impact.dialog}
    </Page>
  );
}

function Edit({ group, of, onDone }: { group: Group; of: Loaded<Group>; onDone: () => void }) {
  const edit = useEdit({ name: group.name, members: group.members });
  const doing = useDoing();
  const impact = useLiveImpact();
  const save = () =>
    impact.run(async (confirmed) => {
      const params = { path: { group_id: group.id }, header: ifMatch(group) };
      const body = { ...edit.changed, ...confirmed };
      of.replace(saved(await data(api.PATCH("/exclusion-groups/{group_id}", { params, body }))));
      edit.reset();
      onDone();
    });
  return (
    <>
      <Form doing={doing} submit="Save" onSubmit={save} isDirty={edit.isDirty}>
        <GroupFields
          name={edit.draft.name}
          onName={edit.on("name")}
          members={edit.draft.members}
          onMembers={edit.on("members")}
        />
        <Conflict doing={doing} contested={edit.contested} reload={of.reload} />
      </Form>
      {impact.dialog}
    </>
  );
}
