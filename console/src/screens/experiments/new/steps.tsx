import type { ComponentChildren } from "preact";
import { at, withQuery } from "../../../address.ts";
import { Page } from "../../../kit/page.tsx";

export const STEPS = [
  ["hypothesis", "Hypothesis"],
  ["change", "Page and change"],
  ["goals", "Goals"],
  ["plan", "Traffic and plan"],
] as const;

export type StepName = (typeof STEPS)[number][0];

/** Return the address of a step of a draft: a reload goes on there. */
export function stepAddress(experiment: string, step: StepName): string {
  return withQuery(at("/experiments/new", experiment), { step });
}

/** Return the address of the visual editor that leads back to the steps. */
export function editorInSteps(experiment: string, variation: string): string {
  return withQuery(at("/experiments", experiment, "edit", variation), { steps: "1" });
}

interface StepsProps {
  current: StepName;
  /** The draft, once there is one. */
  experiment: string | null;
  title: string;
  children: ComponentChildren;
}

/** One of the four steps of a new experiment, and the way between them. */
export function Steps({ current, experiment, title, children }: StepsProps) {
  const place = STEPS.findIndex(([name]) => name === current);
  return (
    <Page title={title} above={<a href={at("/experiments")}>Experiments</a>}>
      <nav aria-label="Steps">
        <ol class="step-line">
          {STEPS.map(([name, words], index) => (
            <li key={name} class={index < place ? "is-done" : undefined}>
              {experiment && index !== place ? (
                <a href={stepAddress(experiment, name)}>
                  {index + 1}. {words}
                </a>
              ) : (
                <span aria-current={index === place ? "step" : undefined}>
                  {index + 1}. {words}
                </span>
              )}
            </li>
          ))}
        </ol>
      </nav>
      {children}
    </Page>
  );
}
