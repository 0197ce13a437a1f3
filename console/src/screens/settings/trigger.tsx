import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { useDoing, useLoaded } from "../../api/loading.ts";
import { Confirm } from "../../kit/dialog.tsx";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { Form } from "../../kit/form.tsx";
import { Page } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { notify } from "../../kit/toast.tsx";
import { may } from "../../session/session.ts";
import { Published } from "./common.tsx";
import { draftOf, inputOf, NEW_TRIGGER } from "./trigger_draft.ts";
import { TriggerFields } from "./trigger_fields.tsx";
import { Tester } from "./trigger_test.tsx";

type Trigger = Schemas["DataLayerTrigger"];

/** A trigger of the data layer, new or stored, with its tester. */
export default function TriggerScreen() {
  const trigger_id = useRoute().params.trigger_id ?? "";
  return trigger_id === "new" ? <NewTrigger /> : <StoredTrigger key={trigger_id} trigger_id={trigger_id} />;
}

const ABOVE = () => <a href={at("/settings/triggers")}>Data layer</a>;

function NewTrigger() {
  const { route } = useLocation();
  const doing = useDoing();
  const [draft, setDraft] = useState(NEW_TRIGGER);
  const create = async () => {
    const made = await data(api.POST("/settings/data-layer-triggers", { body: inputOf(draft) }));
    notify("Saved.");
    route(at("/settings/triggers", made.id), true);
  };
  return (
    <Page title="New trigger" above={<ABOVE />}>
      <Form doing={doing} onSubmit={create} submit="Create trigger" isDirty={draft !== NEW_TRIGGER}>
        <TriggerFields draft={draft} set={(part) => setDraft({ ...draft, ...part })} />
      </Form>
      <Tester draft={draft} />
    </Page>
  );
}

function StoredTrigger({ trigger_id }: { trigger_id: string }) {
  const { route } = useLocation();
  const path = { trigger_id };
  const loaded = useLoaded(
    () => data(api.GET("/settings/data-layer-triggers/{trigger_id}", { params: { path } })),
    [trigger_id],
  );
  const [isAsking, setAsking] = useState(false);
  const read = loaded.data;
  const remove = async () => {
    if (!read) return;
    await data(api.DELETE("/settings/data-layer-triggers/{trigger_id}", { params: { path, header: ifMatch(read) } }));
    notify("Deleted.");
    route(at("/settings/triggers"));
  };
  return (
    <Page
      title={read?.eventName ?? "Trigger"}
      above={<ABOVE />}
      actions={
        read &&
        may("settings:write") && (
          <button type="button" class="harm" onClick={() => setAsking(true)}>
            Delete
          </button>
        )
      }
    >
      <Shown of={loaded}>{(found) => <Entry read={found} reload={loaded.reload} replace={loaded.replace} />}</Shown>
      {isAsking && (
        <Confirm
          title="Delete this trigger?"
          verb="Delete"
          isHarmful
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>Pushes with this name no longer become orders, events or attributes. What was counted stays.</p>
        </Confirm>
      )}
    </Page>
  );
}

interface EntryProps {
  read: Trigger;
  reload: () => Promise<void>;
  replace: (trigger: Trigger) => void;
}

function Entry({ read, reload, replace }: EntryProps) {
  const doing = useDoing();
  const { draft, set, isDirty, contested } = useEdit(draftOf(read));
  const save = async () => {
    const params = { path: { trigger_id: read.id }, header: ifMatch(read) };
    const body = inputOf(draft, read);
    replace(await data(api.PUT("/settings/data-layer-triggers/{trigger_id}", { params, body })));
    notify("Saved.");
  };
  return (
    <>
      <Published of={read} reload={reload} />
      <fieldset disabled={!may("settings:write")}>
        <Form doing={doing} onSubmit={save} submit="Save" isDirty={isDirty}>
          <TriggerFields draft={draft} set={set} />
          <Conflict doing={doing} contested={contested} reload={reload} />
        </Form>
      </fieldset>
      <Tester draft={draft} stored={read} />
    </>
  );
}
