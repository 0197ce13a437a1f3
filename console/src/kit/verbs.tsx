import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Confirm } from "./dialog.tsx";
import { attempt } from "./toast.tsx";

export interface Verb {
  label: string;
  run: () => Promise<unknown>;
  tone?: "primary" | "harm";
  /** What happens, and to whom; without it the verb runs at once. */
  ask?: ComponentChildren;
}

/** The things that can be done with what is on the screen. Those that harm or reach visitors ask first. */
export function Verbs({ verbs }: { verbs: readonly (Verb | false | null | undefined)[] }) {
  const [asked, setAsked] = useState<Verb | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const start = async (verb: Verb) => {
    if (verb.ask) return setAsked(verb);
    setBusy(verb.label);
    await attempt(verb.run);
    setBusy(null);
  };
  return (
    <>
      {verbs.map(
        (verb) =>
          verb && (
            <button
              key={verb.label}
              type="button"
              class={verb.tone}
              disabled={busy !== null}
              onClick={() => void start(verb)}
            >
              {verb.label}
            </button>
          ),
      )}
      {asked && (
        <Confirm title={`${asked.label}?`} verb={asked.label} onConfirm={asked.run} onClose={() => setAsked(null)}>
          {asked.ask}
        </Confirm>
      )}
    </>
  );
}
