import { useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { useLeaveWarning } from "../../kit/leave.ts";
import { Page, Section } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { Plan } from "./plan.tsx";
import { treeOf, type Written } from "./tree.ts";

/** A new experiment from files, such as those of one in another shop. */
export default function ImportExperiment() {
  const [files, setFiles] = useState<Written[]>([]);
  const [plan, setPlan] = useState<Schemas["ExperimentPlan"] | null>(null);
  const doing = useDoing();
  const { route } = useLocation();
  useLeaveWarning(files.length > 0);
  const choose = (chosen: readonly File[]) =>
    doing.run(async () => {
      setPlan(null);
      const tree = await treeOf(chosen);
      setFiles(tree);
      setPlan(await data(api.POST("/experiments/filesystem/plan", { body: { files: tree } })));
    });
  const apply = async () => {
    if (!plan?.planSha256) return;
    const body = { files, plan_sha256: plan.planSha256 };
    const { experiment } = await data(api.POST("/experiments/filesystem/apply", { body }));
    setFiles([]);
    saved(experiment, "The experiment is made, as a draft");
    route(at("/experiments", experiment.id));
  };
  return (
    <Page
      title="Experiment from files"
      above={<a href={at("/experiments")}>Experiments</a>}
      lead="Make an experiment of the files of another one. Pages, audiences and goals are matched by their names."
    >
      <p class="tools">
        <Chooser label="Choose a folder" isFolder onChoose={choose} isBusy={doing.isBusy} />
        <Chooser label="Choose a downloaded file" onChoose={choose} isBusy={doing.isBusy} />
      </p>
      {doing.problem && (
        <div class="problem" role="alert">
          <p>{doing.problem.message}</p>
          {doing.problem.fields.map(({ path, message }) => (
            <p key={path + message}>
              <code>{path}</code>: {message}
            </p>
          ))}
        </div>
      )}
      {files.length > 0 && (
        <Section title="Files">
          <ul class="tree">
            {files.map(({ path }) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {plan && <Plan plan={plan} doing={doing} verb="Make the experiment" onApply={apply} />}
    </Page>
  );
}

interface ChooserProps {
  label: string;
  isFolder?: boolean;
  isBusy: boolean;
  onChoose: (files: readonly File[]) => void;
}

function Chooser({ label, isFolder = false, isBusy, onChoose }: ChooserProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        {...(isFolder ? { webkitdirectory: true, multiple: true } : { accept: ".json" })}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = "";
          if (files.length) onChoose(files);
        }}
      />
      <button type="button" disabled={isBusy} onClick={() => input.current?.click()}>
        {label}
      </button>
    </>
  );
}
