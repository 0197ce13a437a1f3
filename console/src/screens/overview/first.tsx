import { at } from "../../address.ts";
import { Empty } from "../../kit/state.tsx";
import { Ago, count } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import type { Overview } from "./overview.tsx";

/** A shop without any experiment: the two steps to the first. */
export function FirstSteps({ overview }: { overview: Overview }) {
  const seen = overview.last_seen_at;
  return (
    <Empty title="Two steps to your first experiment">
      <ol class="first-steps">
        <li>
          <h3>1. Put the snippet into your shop</h3>
          <p>
            {seen ? (
              <>
                Your storefront was last heard of <Ago at={seen} />.
              </>
            ) : (
              "One line in the head of your pages. Nothing has come from your storefront yet."
            )}
          </p>
          <a class={seen ? "button" : "button primary"} href={at("/install")}>
            Check the installation
          </a>
        </li>
        <li>
          <h3>2. Test a change</h3>
          <p>Show a change of your shop to a part of its visitors, and see what it does to your orders.</p>
          {may("experiments:write") && (
            <a class={seen ? "button primary" : "button"} href={at("/experiments/new")}>
              New experiment
            </a>
          )}
        </li>
      </ol>
    </Empty>
  );
}

/** Experiments are there, and none runs. */
export function NothingRuns({ overview }: { overview: Overview }) {
  const drafts = (overview.by_status.draft ?? 0) + (overview.by_status.ready_to_launch ?? 0);
  return (
    <Empty title="No experiment runs now">
      <p>
        {drafts
          ? `${count(drafts)} ${drafts === 1 ? "is" : "are"} prepared. Launch one to learn something.`
          : "Plan the next one, or look at what the last ones taught you."}
      </p>
      <p>
        <a class="button primary" href={at("/experiments")}>
          Go to the experiments
        </a>
      </p>
    </Empty>
  );
}
