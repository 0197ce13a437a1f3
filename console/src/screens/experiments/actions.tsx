import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { asProblem } from "../../api/problems.ts";
import { mayLeave } from "../../kit/leave.ts";
import { Menu } from "../../kit/menu.tsx";
import { notify } from "../../kit/toast.tsx";
import { may } from "../../session/session.ts";
import { addressOf } from "./frame.tsx";
import { committed, type Open } from "./open.ts";
import { run } from "./run.ts";
import { VerbDialog } from "./verb_dialog.tsx";
import { allowedInWords, doneInWords, offered, type Verb } from "./verbs.ts";

/** The verbs that the experiment allows now: the likely next one first, the rare ones behind a menu. */
export function ActionBar({ open }: { open: Open }) {
  const { experiment, checklist, reload } = open;
  const { path, route } = useLocation();
  const isHere = (verb: Verb) => verb.tab !== undefined && path === addressOf(experiment.id, verb.tab);
  const [asked, setAsked] = useState<Verb | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const { first, others, more } = offered(experiment, checklist.allowed_actions, may);

  const now = async (verb: Verb) => {
    setBusy(verb.action);
    try {
      await committed(experiment.id, () => run(verb.action, experiment));
      notify(doneInWords(verb));
    } catch (thrown) {
      const { message, envelope } = asProblem(thrown);
      const allowed = Array.isArray(envelope.allowed_actions) ? ` ${allowedInWords(envelope.allowed_actions)}` : "";
      notify(message + allowed, "bad");
    }
    await reload();
    setBusy(null);
  };
  const press = (verb: Verb) => {
    if (verb.tab) {
      if (mayLeave()) route(addressOf(experiment.id, verb.tab));
    } else if (verb.says) setAsked(verb);
    else void now(verb);
  };
  const button = (verb: Verb, style?: string) => (
    <button key={verb.action} type="button" class={style} disabled={busy !== null} onClick={() => press(verb)}>
      {busy === verb.action ? "…" : verb.label}
    </button>
  );
  return (
    <>
      {others.filter((verb) => !isHere(verb)).map((verb) => button(verb))}
      {first && !isHere(first) && button(first, "primary")}
      {more.length > 0 && <Menu label="More">{more.map((verb) => button(verb))}</Menu>}
      {asked && <VerbDialog verb={asked} open={open} onClose={() => setAsked(null)} />}
    </>
  );
}
