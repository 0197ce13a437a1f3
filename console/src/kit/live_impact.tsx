import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { at } from "../address.ts";
import type { Schemas } from "../api/client.ts";
import { asProblem, Problem } from "../api/problems.ts";
import { inWords } from "./badge.tsx";
import { Dialog } from "./dialog.tsx";

type Consumer = Schemas["LiveConsumer"];

/** What repeats a change that reaches visitors; empty the first time. */
export interface Confirmed {
  confirm_live_impact?: boolean;
  confirmed_consumer_ids?: string[];
}

interface Question {
  consumers: Consumer[];
  message: string;
  answer: (isConfirmed: boolean) => void;
}

export interface LiveImpact {
  /** Run a change; where the API says that it reaches visitors, ask, and run it again with the confirmation. */
  run: <T>(change: (confirmed: Confirmed) => Promise<T>) => Promise<T>;
  /** The question; render it somewhere on the screen, outside of a form. */
  dialog: ComponentChildren;
}

/** Ask before a change that reaches what runs: it lists what. Rejects with a Problem where the answer is no. */
export function useLiveImpact(): LiveImpact {
  const [question, setQuestion] = useState<Question | null>(null);
  const run = async <T,>(change: (confirmed: Confirmed) => Promise<T>, confirmed: Confirmed = {}): Promise<T> => {
    try {
      return await change(confirmed);
    } catch (thrown) {
      const problem = asProblem(thrown);
      if (problem.code !== "page_live_impact") throw thrown;
      // What runs may change between question and answer: then the API asks again, with the new list.
      const consumers = consumersIn(problem);
      const isConfirmed = await new Promise<boolean>((answer) =>
        setQuestion({ consumers, message: problem.message, answer }),
      );
      setQuestion(null);
      if (!isConfirmed) throw new Problem({ status: 0, code: "not_confirmed", message: "Nothing was changed." });
      return await run(change, { confirm_live_impact: true, confirmed_consumer_ids: consumers.map(({ id }) => id) });
    }
  };
  return { run: (change) => run(change), dialog: question && <Asked {...question} /> };
}

/** Return what a refused change would reach. */
export function consumersIn(problem: Problem): Consumer[] {
  const { live_experiments: listed } = problem.envelope;
  return Array.isArray(listed) ? (listed as Consumer[]) : [];
}

const SCREENS: Record<Consumer["consumer"], string> = {
  experiment: "/experiments",
  "feature flag": "/flags",
  personalization: "/personalizations",
};

function Asked({ consumers, message, answer }: Question) {
  return (
    <Dialog title="This reaches visitors now" onClose={() => answer(false)}>
      {consumers.length === 0 && <p>{message}</p>}
      {consumers.length > 0 && (
        <>
          <p>The change takes effect at once in what runs on the shop:</p>
          <ul class="bullets">
            {consumers.map(({ id, name, consumer }) => (
              <li key={id}>
                <a href={at(SCREENS[consumer] ?? "/experiments", id)} target="_blank" rel="noreferrer">
                  {name}
                </a>{" "}
                <span class="soft">{inWords(consumer)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="buttons">
        <button type="button" class="primary" onClick={() => answer(true)}>
          Change it for visitors
        </button>
        <button type="button" onClick={() => answer(false)}>
          Cancel
        </button>
      </p>
    </Dialog>
  );
}
