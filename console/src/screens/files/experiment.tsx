import { useState } from "preact/hooks";
import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { type Loaded, useDoing, useLoaded } from "../../api/loading.ts";
import { Badge } from "../../kit/badge.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { asJson } from "../../kit/json.tsx";
import { useLiveImpact } from "../../kit/live_impact.tsx";
import { saved } from "../../kit/saved.ts";
import { Shown } from "../../kit/state.tsx";
import { may } from "../../session/session.ts";
import { ExperimentFrame } from "../experiments/frame.tsx";
import { Plan } from "./plan.tsx";
import { save } from "./tree.ts";

type Tree = Schemas["ExperimentTree"];

/** The design of an experiment as files: read, change, see what it would do, and apply it. */
export default function ExperimentFiles() {
  return (
    <ExperimentFrame tab="files">
      {(open) => <Files experiment_id={open.experiment.id} reloadExperiment={open.reload} />}
    </ExperimentFrame>
  );
}

interface FilesProps {
  experiment_id: string;
  reloadExperiment: () => Promise<void>;
}

function Files({ experiment_id, reloadExperiment }: FilesProps) {
  const params = { path: { experiment_id } };
  const tree = useLoaded(() => data(api.GET("/experiments/{experiment_id}/filesystem", { params })), [experiment_id]);
  return (
    <Shown of={tree}>
      {(read) => (
        <>
          <p class="lead">
            The whole design as files, to edit here or to keep with your code. Nothing changes before you have seen the
            plan and applied it.
          </p>
          <p class="tools">
            <button type="button" onClick={() => save(`experiment-${experiment_id}.json`, asJson(read))}>
              Download
            </button>
            {may("experiments:write") && (
              <a class="button" href={at("/files/import")}>
                Make another one from files
              </a>
            )}
          </p>
          <Work experiment_id={experiment_id} tree={read} of={tree} reloadExperiment={reloadExperiment} />
        </>
      )}
    </Shown>
  );
}

interface WorkProps extends FilesProps {
  tree: Tree;
  of: Loaded<Tree>;
}

function Work({ experiment_id, tree, of, reloadExperiment }: WorkProps) {
  const [edits, setEdits] = useState<ReadonlyMap<string, string>>(new Map());
  const [path, setPath] = useState(tree.files.find(({ readonly }) => !readonly)?.path ?? "");
  const [plan, setPlan] = useState<Schemas["ExperimentPlan"] | null>(null);
  const doing = useDoing();
  const impact = useLiveImpact();
  const params = { path: { experiment_id } };
  const isChanged = (name: string) => {
    const read = tree.files.find((each) => each.path === name);
    return edits.has(name) && edits.get(name) !== read?.content;
  };
  const changed = [...edits].filter(([name]) => isChanged(name));
  const files = changed.map(([name, content]) => ({ path: name, content }));
  const body = { files, base_tree_sha256: tree.tree_sha256 };
  const file = tree.files.find((each) => each.path === path);
  const content = edits.get(path) ?? file?.content ?? "";

  const makePlan = async () => {
    setPlan(null);
    setPlan(await data(api.POST("/experiments/{experiment_id}/filesystem/plan", { params, body })));
  };
  const apply = () =>
    impact.run(async (confirmed) => {
      if (!plan?.planSha256) return;
      const applied = { ...body, plan_sha256: plan.planSha256, ...confirmed };
      const url = "/experiments/{experiment_id}/filesystem/apply";
      const { experiment } = await data(api.POST(url, { params, body: applied }));
      saved(experiment, "The plan is applied");
      setEdits(new Map());
      setPlan(null);
      await Promise.all([of.reload(), reloadExperiment()]);
    });
  return (
    <div class="files">
      <ul class="tree" aria-label="Files">
        {tree.files.map((each) => (
          <li key={each.path}>
            <button
              type="button"
              class="quiet"
              aria-current={each.path === path ? "true" : undefined}
              onClick={() => setPath(each.path)}
            >
              {each.path}
              {each.readonly && <Badge>generated</Badge>}
              {isChanged(each.path) && <Badge tone="warn">changed</Badge>}
            </button>
          </li>
        ))}
      </ul>
      <div class="writing">
        <Form
          key={path}
          doing={doing}
          submit="See the plan"
          onSubmit={makePlan}
          isDirty={changed.length > 0}
          others={
            changed.length > 0 && (
              <button
                type="button"
                onClick={() => {
                  setEdits(new Map());
                  setPlan(null);
                }}
              >
                Take all changes back
              </button>
            )
          }
        >
          <fieldset class="json" disabled={file?.readonly || !may("experiments:write")}>
            <TextField
              path="files"
              label={path}
              required
              rows={18}
              value={content}
              onChange={(typed) => {
                setEdits(new Map(edits).set(path, typed));
                setPlan(null);
              }}
            />
          </fieldset>
        </Form>
        {plan && <Plan plan={plan} doing={doing} onApply={apply} onOpen={setPath} />}
        {impact.dialog}
      </div>
    </div>
  );
}
