import { useLocation } from "preact-iso";
import { Shown } from "../../../kit/state.tsx";
import { useOpen } from "../open.ts";
import { ChangeStep } from "./change.tsx";
import { GoalsStep } from "./goals.tsx";
import { HypothesisStep } from "./hypothesis.tsx";
import { PlanStep } from "./plan.tsx";
import { STEPS, type StepName, Steps } from "./steps.tsx";

const PARTS = { hypothesis: HypothesisStep, change: ChangeStep, goals: GoalsStep, plan: PlanStep };

/** The steps of a draft after the first; the address names draft and step, so that a reload goes on. */
export default function Draft() {
  const { query } = useLocation();
  const open = useOpen();
  const step: StepName = STEPS.find(([name]) => name === query.step)?.[0] ?? "change";
  const Part = PARTS[step];
  return (
    <Shown of={open}>
      {(read) => (
        <Steps current={step} experiment={read.experiment.id} title={read.experiment.name}>
          <Part key={step} open={read} />
        </Steps>
      )}
    </Shown>
  );
}
