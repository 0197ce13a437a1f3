import { useState } from "preact/hooks";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { type Loaded, useDoing } from "../../api/loading.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { asJson, JsonField, readJson } from "../../kit/json.tsx";
import { useLiveImpact } from "../../kit/live_impact.tsx";
import { Section } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { Empty } from "../../kit/state.tsx";
import { Verbs } from "../../kit/verbs.tsx";
import { keyOf } from "../flags/new.tsx";
import type { Personalization } from "./settings.tsx";

type Experience = Schemas["PersonalizationExperience"];

interface Props {
  item: Personalization;
  of: Loaded<Personalization>;
  canWrite: boolean;
}

/** The versions of a personalization. */
export function Experiences({ item, of, canWrite }: Props) {
  const [isAdding, setAdding] = useState(false);
  const add = canWrite && (
    <button type="button" onClick={() => setAdding(true)}>
      Add an experience
    </button>
  );
  return (
    <Section title="Experiences" actions={add} lead="What visitors see, in one version or several.">
      {item.experiences.length === 0 && (
        <Empty title="No experience yet" action={add}>
          <p>An experience is what these visitors see in place of the usual page: begin with one.</p>
        </Empty>
      )}
      <div class="cards">
        {item.experiences.map((experience) => (
          <Card key={experience.key} item={item} experience={experience} of={of} canWrite={canWrite} />
        ))}
      </div>
      {isAdding && <Add item={item} of={of} onClose={() => setAdding(false)} />}
    </Section>
  );
}

function Card({ item, experience, of, canWrite }: Props & { experience: Experience }) {
  const [isEditing, setEditing] = useState(false);
  const impact = useLiveImpact();
  const remove = () =>
    impact.run(async ({ confirm_live_impact }) => {
      const path = { personalization_id: item.id, experience_key: experience.key };
      const params = { path, query: { confirm_live_impact }, header: ifMatch(item) };
      await data(api.DELETE("/personalizations/{personalization_id}/experiences/{experience_key}", { params }));
      await of.reload();
      saved({}, "Experience deleted");
    });
  return (
    <article class="card">
      <h3>{experience.name}</h3>
      <p class="soft">
        <code>{experience.key}</code>
      </p>
      <p>{contentInWords(experience)}</p>
      {experience.value !== null && <pre class="code">{asJson(experience.value)}</pre>}
      {canWrite && (
        <p class="tools">
          <button type="button" onClick={() => setEditing(true)}>
            Edit
          </button>
          <Verbs
            verbs={[
              {
                label: "Delete",
                tone: "harm",
                run: remove,
                ask: <p>"{experience.name}" is gone for good. Rules that name it have to be changed first.</p>,
              },
            ]}
          />
        </p>
      )}
      {isEditing && <Edit item={item} experience={experience} of={of} onClose={() => setEditing(false)} />}
      {impact.dialog}
    </article>
  );
}

function contentInWords({ mutations, custom_css, custom_js, value }: Experience): string {
  const parts = [
    mutations.length && `${mutations.length} ${mutations.length === 1 ? "change" : "changes"} of the page`,
    custom_css && "CSS",
    custom_js && "a script",
    value !== null && "a value",
  ].filter(Boolean);
  return parts.length ? parts.join(", ") : "nothing yet";
}

interface DialogProps {
  item: Personalization;
  of: Loaded<Personalization>;
  onClose: () => void;
}

function Add({ item, of, onClose }: DialogProps) {
  const [name, setName] = useState("");
  const doing = useDoing();
  const impact = useLiveImpact();
  const create = () =>
    impact.run(async (confirmed) => {
      const params = { path: { personalization_id: item.id }, header: ifMatch(item) };
      const isFirst = item.experiences.length === 0;
      const body = { name, key: isFirst ? "default" : keyOf(name), ...confirmed };
      await data(api.POST("/personalizations/{personalization_id}/experiences", { params, body }));
      await of.reload();
      saved({}, "Experience added");
      onClose();
    });
  return (
    <Dialog title="Add an experience" onClose={onClose}>
      <Form doing={doing} submit="Add" onSubmit={create} isDirty={name !== ""}>
        <TextField path="name" label="Name" required value={name} onChange={setName} />
      </Form>
      {impact.dialog}
    </Dialog>
  );
}

function Edit({ item, experience, of, onClose }: DialogProps & { experience: Experience }) {
  const { name, custom_css, custom_js, reset_js } = experience;
  const read = { name, custom_css, custom_js, reset_js };
  const isValue = item.delivery_type !== "visual";
  const edit = useEdit({ ...read, value: asJson(experience.value), mutations: asJson(experience.mutations) });
  const doing = useDoing();
  const impact = useLiveImpact();
  const { draft: value, on: set } = edit;
  const code = (field: "custom_css" | "custom_js" | "reset_js") => (typed: string) => set(field)(typed || null);
  const save = async () => {
    const { value: typedValue, mutations, ...fields } = edit.changed;
    const content = {
      ...fields,
      ...(typedValue !== undefined && { value: readJson("value", typedValue) }),
      ...(mutations !== undefined && { mutations: readJson("mutations", mutations) as Schemas["Mutation"][] }),
    };
    await impact.run(async (confirmed) => {
      const path = { personalization_id: item.id, experience_key: experience.key };
      const params = { path, header: ifMatch(item) };
      const body = { ...content, ...confirmed };
      const url = "/personalizations/{personalization_id}/experiences/{experience_key}";
      saved(await data(api.PATCH(url, { params, body })));
      await of.reload();
      onClose();
    });
  };
  return (
    <Dialog title={`Edit "${experience.name}"`} onClose={onClose} isWide>
      <Form doing={doing} submit="Save" onSubmit={save} isDirty={edit.isDirty}>
        <TextField path="name" label="Name" required value={value.name} onChange={set("name")} />
        {(isValue || experience.value !== null) && (
          <JsonField
            path="value"
            label="Value for your code"
            rows={5}
            hint={'true, 5, "a text" or {"any": "JSON"}'}
            value={value.value}
            onChange={set("value")}
          />
        )}
        {!isValue && (
          <>
            <JsonField
              path="mutations"
              label="Changes of the page"
              hint={'For example [{"selector": "h1", "action": "text", "text": "Welcome back"}]'}
              value={value.mutations}
              onChange={set("mutations")}
            />
            <div class="json">
              <TextField
                path="custom_css"
                label="CSS"
                rows={4}
                value={value.custom_css ?? ""}
                onChange={code("custom_css")}
              />
            </div>
            <div class="json">
              <TextField
                path="custom_js"
                label="Script"
                rows={4}
                value={value.custom_js ?? ""}
                onChange={code("custom_js")}
              />
            </div>
            <div class="json">
              <TextField
                path="reset_js"
                label="Script that undoes it"
                hint="Runs before the page changes without a load."
                rows={3}
                value={value.reset_js ?? ""}
                onChange={code("reset_js")}
              />
            </div>
          </>
        )}
        <Conflict doing={doing} contested={edit.contested} reload={of.reload} />
      </Form>
      {impact.dialog}
    </Dialog>
  );
}
