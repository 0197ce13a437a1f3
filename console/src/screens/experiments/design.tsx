import { api, data, ifMatch } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { Act } from "../../kit/act.tsx";
import { type Option, SelectField } from "../../kit/choices.tsx";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { Section } from "../../kit/page.tsx";
import { usePeople } from "../../kit/people.tsx";
import { may, session } from "../../session/session.ts";
import { ExperimentFrame } from "./frame.tsx";
import { type Experiment, type Open, useChanging } from "./open.ts";
import { Code } from "./variation_form.tsx";
import { Variations, Weights } from "./variations.tsx";
import { KINDS } from "./words.ts";

/** What is compared: the variations, how visitors are split, and what the experiment is about. */
export default function Design() {
  return <ExperimentFrame tab="">{(open) => <Parts open={open} />}</ExperimentFrame>;
}

function Parts({ open }: { open: Open }) {
  const mayWrite = may("experiments:write");
  return (
    <>
      <Section title="Variations" actions={mayWrite && <AddVariation open={open} />}>
        <Variations open={open} />
      </Section>
      {mayWrite && (
        <>
          {open.experiment.status !== "completed" && (
            <Section title="Split" lead="Which share of the experiment's visitors gets each variation.">
              <Weights open={open} />
            </Section>
          )}
          <Section title="About">
            <About open={open} />
          </Section>
        </>
      )}
    </>
  );
}

function AddVariation({ open }: { open: Open }) {
  const { experiment } = open;
  const changing = useChanging(open);
  const name = `Variant ${experiment.variations.length}`;
  const params = { path: { experiment_id: experiment.id }, header: ifMatch(experiment) };
  const add = () =>
    changing.make(
      (confirmed) =>
        data(api.POST("/experiments/{experiment_id}/variations", { params, body: { name, ...confirmed } })),
      `${name} is added. Give it a share of the split.`,
    );
  return (
    <>
      <Act run={add}>Add a variation</Act>
      {changing.dialog}
    </>
  );
}

interface Typed {
  name: string;
  description: string;
  store_url: string;
  owner_user_id: string;
  counting_type: Experiment["counting_type"];
  delivery_type: Experiment["delivery_type"];
  experiment_css: string;
  experiment_js: string;
  experiment_reset_js: string;
}

const TEXTS = [
  "description",
  "store_url",
  "owner_user_id",
  "experiment_css",
  "experiment_js",
  "experiment_reset_js",
] as const;

function typedOf(of: Experiment): Typed {
  const { name, counting_type, delivery_type } = of;
  const texts = Object.fromEntries(TEXTS.map((field) => [field, of[field] ?? ""])) as Record<
    (typeof TEXTS)[number],
    string
  >;
  return { name, counting_type, delivery_type, ...texts };
}

function About({ open }: { open: Open }) {
  const { experiment, reload } = open;
  const doing = useDoing();
  const changing = useChanging(open);
  const owners = useOwners(experiment.owner_user_id);
  const { draft, set, changed, isDirty, contested, reset } = useEdit<Typed>(typedOf(experiment));
  const save = async () => {
    const params = { path: { experiment_id: experiment.id }, header: ifMatch(experiment) };
    const cleared = Object.fromEntries(TEXTS.filter((field) => changed[field] === "").map((field) => [field, null]));
    await changing.make((confirmed) =>
      data(api.PATCH("/experiments/{experiment_id}", { params, body: { ...changed, ...cleared, ...confirmed } })),
    );
    reset();
  };
  return (
    <>
      <Form doing={doing} submit="Save" onSubmit={save} isDirty={isDirty}>
        <TextField path="name" label="Name" required value={draft.name} onChange={(name) => set({ name })} />
        <TextField
          path="description"
          label="Hypothesis"
          rows={3}
          value={draft.description}
          onChange={(description) => set({ description })}
        />
        <TextField
          path="store_url"
          label="Page"
          type="url"
          value={draft.store_url}
          onChange={(store_url) => set({ store_url })}
          hint="Where the editor, previews and pictures open. It does not limit where the experiment runs."
        />
        <SelectField
          path="counting_type"
          label="Kind"
          required
          value={draft.counting_type}
          onChange={(value) => set({ counting_type: value as Experiment["counting_type"] })}
          options={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
        />
        <SelectField
          path="owner_user_id"
          label="Owner"
          value={draft.owner_user_id}
          onChange={(owner_user_id) => set({ owner_user_id })}
          options={owners}
          hint="Who looks after it."
        />
        {!experiment.started_at && (
          <SelectField
            path="delivery_type"
            label="What a variation is"
            required
            value={draft.delivery_type}
            onChange={(value) => set({ delivery_type: value as Experiment["delivery_type"] })}
            options={[
              { value: "mutation", label: "Changes of the page" },
              { value: "redirect", label: "Another page (redirect)" },
            ]}
          />
        )}
        <details open={Boolean(draft.experiment_css || draft.experiment_js)}>
          <summary>Code of the experiment, for all variations</summary>
          <Code
            path="experiment_css"
            label="CSS"
            value={draft.experiment_css}
            onChange={(experiment_css) => set({ experiment_css })}
          />
          <Code
            path="experiment_js"
            label="JavaScript"
            value={draft.experiment_js}
            onChange={(experiment_js) => set({ experiment_js })}
            hint="The body of a function. It runs before the code of the variation."
          />
          <Code
            path="experiment_reset_js"
            label="JavaScript that undoes it"
            value={draft.experiment_reset_js}
            onChange={(experiment_reset_js) => set({ experiment_reset_js })}
            hint="For pages that change without a reload."
          />
        </details>
        <Conflict doing={doing} contested={contested} reload={reload} />
      </Form>
      {changing.dialog}
    </>
  );
}

/** The people who may own it: nobody, the person at the screen, the others of the shop, and who owns it now. */
function useOwners(current: string | null): Option[] {
  const me = session.value?.user.id;
  const people = new Map(usePeople());
  if (current && !people.has(current)) people.set(current, current.slice(0, 8));
  if (me) people.set(me, "You");
  return [{ value: "", label: "Nobody" }, ...[...people].map(([value, label]) => ({ value, label }))];
}
