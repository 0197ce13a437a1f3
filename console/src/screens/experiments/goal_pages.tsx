import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { PageFields } from "../../kit/rules/page.tsx";
import { type Open, useChanging } from "./open.ts";

type Rule = Schemas["PageRules"];

/** Sets of pages that goals of the experiment may be limited to. */
export function GoalPages({ open }: { open: Open }) {
  const { experiment, reload } = open;
  const doing = useDoing();
  const changing = useChanging(open);
  const { draft, set, isDirty, contested, reset } = useEdit({ rules: experiment.goalPageRules });
  const { rules } = draft;
  const change = (index: number, rule: Rule) => set({ rules: rules.with(index, rule) });
  const save = async () => {
    await changing.make((confirmed) => {
      const params = { path: { experiment_id: experiment.id }, header: ifMatch(experiment) };
      const body = { goalPageRules: rules.map(cleaned), ...confirmed };
      return data(api.PATCH("/experiments/{experiment_id}", { params, body }));
    });
    reset();
  };
  const add = () =>
    set({ rules: [...rules, { id: crypto.randomUUID(), name: "", includeRules: [NOWHERE], excludeRules: [] }] });
  return (
    <>
      {rules.length === 0 ? (
        <button type="button" onClick={add}>
          Add a set of pages
        </button>
      ) : (
        <Form
          doing={doing}
          submit="Save the pages"
          onSubmit={save}
          isDirty={isDirty}
          others={
            <button type="button" onClick={add}>
              Add a set of pages
            </button>
          }
        >
          {rules.map((rule, index) => (
            <fieldset key={rule.id} class="card">
              <legend class="unseen">Set of pages {index + 1}</legend>
              <TextField
                path={`goalPageRules[${index}].name`}
                label="Name"
                value={rule.name ?? ""}
                onChange={(name) => change(index, { ...rule, name })}
              />
              <PageFields
                path={`goalPageRules[${index}]`}
                value={rule}
                onChange={(next) => change(index, { ...rule, ...next } as Rule)}
              />
              <p class="tools">
                <button type="button" class="quiet" onClick={() => set({ rules: rules.toSpliced(index, 1) })}>
                  Remove these pages
                </button>
              </p>
            </fieldset>
          ))}
          <Conflict doing={doing} contested={contested} reload={reload} />
        </Form>
      )}
      {changing.dialog}
    </>
  );
}

const NOWHERE = { type: "simple" as const, pattern: "" };

/** Triggers and conditions that say nothing are left out. */
function cleaned({ trigger, advancedCondition, ...rule }: Rule): Rule {
  return {
    ...rule,
    ...(trigger && trigger.type !== "immediate" && { trigger }),
    ...(advancedCondition && { advancedCondition }),
  } as Rule;
}
