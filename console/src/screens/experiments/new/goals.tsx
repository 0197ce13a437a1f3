import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../../../address.ts";
import { api, data } from "../../../api/client.ts";
import { useDoing, useLoaded } from "../../../api/loading.ts";
import { asProblem } from "../../../api/problems.ts";
import { Form, TextField } from "../../../kit/form.tsx";
import { Shown } from "../../../kit/state.tsx";
import { notify } from "../../../kit/toast.tsx";
import { percent } from "../../../kit/values.tsx";
import { type GoalBody, likelyPreset, PRESETS, type Preset } from "../goal_presets.ts";
import type { Open } from "../open.ts";
import { shopTraffic, type Traffic } from "../traffic.ts";
import { stepAddress } from "./steps.tsx";

interface Offer {
  traffic: Traffic;
  choices: readonly Preset[];
}

const MOST_GOALS = 50;

/** The third step: what decides, and what is measured beside it. */
export function GoalsStep({ open }: { open: Open }) {
  const offer = useLoaded(readOffer, []);
  const goals = open.experiment.goals.filter(({ archived_at }) => !archived_at);
  if (goals.length) return <Present open={open} />;
  return <Shown of={offer}>{(read) => <Choice open={open} offer={read} />}</Shown>;
}

async function readOffer(): Promise<Offer> {
  const [traffic, goals] = await Promise.all([
    shopTraffic(),
    data(api.GET("/goals", { params: { query: { limit: MOST_GOALS } } })).catch(() => null),
  ]);
  const own = (goals?.data ?? []).map(
    ({ id, name }): Preset => ({ key: id, name, says: "A goal of your shop", step: null, body: { goal_id: id } }),
  );
  return { traffic, choices: [...own, ...PRESETS] };
}

function Choice({ open, offer: { traffic, choices } }: { open: Open; offer: Offer }) {
  const { experiment, reload } = open;
  const { route } = useLocation();
  const proposed = likelyPreset(traffic);
  const [deciding, setDeciding] = useState(proposed);
  const [others, setOthers] = useState<readonly string[]>(["purchase"]);
  const [selector, setSelector] = useState("");
  const doing = useDoing();
  const rateIn = ({ step }: Preset) => (step ? traffic.rates[step] : null);
  const save = async () => {
    const bodies = [deciding, ...others.filter((key) => key !== deciding)].flatMap((key): GoalBody[] => {
      if (key === "click")
        return [{ name: `Clicks on ${selector.trim()}`.slice(0, 255), type: "click", selector: selector.trim() }];
      const preset = choices.find((each) => each.key === key);
      return preset ? [preset.body] : [];
    });
    let made = 0;
    try {
      // One after the other: their order is the order of the goals, and the first one decides.
      for (const body of bodies) {
        const params = { path: { experiment_id: experiment.id } };
        await data(api.POST("/experiments/{experiment_id}/goals", { params, body }));
        made++;
      }
    } catch (thrown) {
      // The step shows what is there then, and no form with a place for the reason.
      if (made) notify(`Not every goal is added: ${asProblem(thrown).message}`, "bad");
      throw thrown;
    } finally {
      await reload();
    }
    route(stepAddress(experiment.id, "plan"));
  };
  const all = [...choices, { key: "click", name: "Clicks on an element", says: "Visitors who click what you name" }];
  return (
    <Form
      doing={doing}
      submit="Next: traffic and plan"
      onSubmit={save}
      isDirty={(selector !== "" || deciding !== proposed) && !doing.isBusy}
    >
      <fieldset class="field goal-choice">
        <legend>Which goal decides?</legend>
        <p class="hint">A goal near the change moves first, and takes fewer visitors.</p>
        {all.map((each) => (
          <div key={each.key} class={each.key === deciding ? "choice is-chosen" : "choice"}>
            <label>
              <input
                type="radio"
                name="deciding"
                checked={each.key === deciding}
                onChange={() => setDeciding(each.key)}
              />{" "}
              <span>
                {each.name}
                <small class="soft">
                  {each.says}
                  {"body" in each && rateIn(each) !== null && `: ${percent(rateIn(each))} of yours`}
                </small>
              </span>
            </label>
            {each.key !== deciding && (
              <label class="beside">
                <input
                  type="checkbox"
                  aria-label={`Measure ${each.name}, too`}
                  checked={others.includes(each.key)}
                  onChange={() => setOthers(toggled(others, each.key))}
                />{" "}
                also measure it
              </label>
            )}
          </div>
        ))}
      </fieldset>
      {(deciding === "click" || others.includes("click")) && (
        <TextField
          path="selector"
          label="Element"
          required
          value={selector}
          onChange={setSelector}
          placeholder=".add-to-cart"
          hint="A CSS selector of what is clicked."
        />
      )}
    </Form>
  );
}

function toggled(keys: readonly string[], key: string): string[] {
  return keys.includes(key) ? keys.filter((each) => each !== key) : [...keys, key];
}

/** The draft has goals already: show them, and go on. */
function Present({ open: { experiment } }: { open: Open }) {
  return (
    <>
      <ul class="bullets">
        {experiment.goals
          .filter(({ archived_at }) => !archived_at)
          .map(({ id, name, is_primary }) => (
            <li key={id}>
              {name}
              {is_primary && " – decides"}
            </li>
          ))}
      </ul>
      <p class="buttons more">
        <a class="button primary" href={stepAddress(experiment.id, "plan")}>
          Next: traffic and plan
        </a>
        <a class="button" href={at("/experiments", experiment.id, "goals")}>
          Change the goals
        </a>
      </p>
    </>
  );
}
