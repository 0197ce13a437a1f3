import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../../address.ts";
import type { Schemas } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { CheckField, SelectField } from "../../kit/choices.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Form, LinesField, TextField } from "../../kit/form.tsx";
import { fromInput } from "../../kit/moments.ts";
import { TargetingWords, useLibrary } from "../../kit/rules/targeting.tsx";
import { notify } from "../../kit/toast.tsx";
import { may, shop } from "../../session/session.ts";
import { addressOf } from "./frame.tsx";
import { committed, type Experiment, type Open } from "./open.ts";
import { run, type Words } from "./run.ts";
import { allowedInWords, doneInWords, type Verb } from "./verbs.ts";
import { type Ended, OUTCOMES, split } from "./words.ts";

/** What the fields of a dialog hold; each verb shows its own. */
interface Typed {
  text: string;
  name: string;
  variation: string;
  outcome: string;
  start: string;
  end: string;
  urls: string[];
  isOn: boolean;
}

const NOTHING: Typed = { text: "", name: "", variation: "", outcome: "", start: "", end: "", urls: [], isOn: true };

/** Ask for a verb: what happens, to whom, and what it needs to know. */
export function VerbDialog({ verb, open, onClose }: { verb: Verb; open: Open; onClose: () => void }) {
  const { experiment, reload } = open;
  const { route } = useLocation();
  const doing = useDoing();
  const [typed, setTyped] = useState<Typed>({ ...NOTHING, variation: treatmentOf(experiment) });
  const set = (part: Partial<Typed>) => setTyped((before) => ({ ...before, ...part }));
  const allowed = doing.problem?.envelope.allowed_actions;

  const submit = async (action = verb.action) => {
    const answer = await committed(experiment.id, () => run(action, experiment, wordsOf(typed)));
    notify(doneInWords(verb));
    if (action === "delete") return route(at("/experiments"));
    if (action === "ship" && answer) {
      const { personalization } = answer as Schemas["ShipResult"];
      return route(at("/personalizations", personalization.id));
    }
    if (action === "duplicate") return route(addressOf((answer as Experiment).id, ""));
    onClose();
    await reload();
  };
  return (
    <Dialog
      title={`${verb.label}${verb.action === "request-approval" ? " of" : ""} “${experiment.name}”`}
      onClose={onClose}
    >
      <Form
        doing={doing}
        submit={verb.label}
        onSubmit={() => submit()}
        others={
          <>
            <button type="button" onClick={onClose}>
              Cancel
            </button>
            {verb.action === "schedule" && (
              <button type="button" class="quiet" onClick={() => void doing.run(() => submit("clear-schedule"))}>
                Clear the schedule
              </button>
            )}
          </>
        }
      >
        <p>{verb.says}</p>
        <Fields verb={verb} open={open} typed={typed} set={set} />
        {Array.isArray(allowed) && <p class="note warn">{allowedInWords(allowed)}</p>}
        {doing.problem?.status === 412 && (
          <p class="note warn">
            It was changed since you opened it.{" "}
            <button type="button" class="link" onClick={() => void reload().then(doing.forget)}>
              Load the newest version
            </button>
          </p>
        )}
      </Form>
    </Dialog>
  );
}

function wordsOf(typed: Typed): Words {
  const zone = shop.value?.timezone ?? "UTC";
  const text = typed.text.trim() || null;
  return {
    complete: {
      outcome: (typed.outcome || null) as Ended | null,
      winning_variation_id: typed.outcome === "won" ? typed.variation : null,
      learning: text,
    },
    ship: { variation_id: typed.variation, ...(typed.name.trim() && { name: typed.name.trim() }) },
    schedule: { start_at: fromInput(typed.start, zone), end_at: fromInput(typed.end, zone) },
    approval: {
      message: text,
      ...(typed.isOn && may("screenshots:write") && { screenshots: true }),
      ...(typed.isOn && typed.urls.length > 0 && { screenshot_urls: typed.urls }),
    },
    ...(text && { reason: { reason: text } }),
    duplicate: { include_goals: typed.isOn, ...(typed.name.trim() && { name: typed.name.trim() }) },
  };
}

function treatmentOf({ variations }: Experiment): string {
  return variations.find(({ is_control, archived_at }) => !is_control && !archived_at)?.id ?? "";
}

interface FieldsProps {
  verb: Verb;
  open: Open;
  typed: Typed;
  set: (part: Partial<Typed>) => void;
}

function Fields({ verb, open, typed, set }: FieldsProps) {
  const { experiment } = open;
  const zone = shop.value?.timezone ?? "UTC";
  const variations = experiment.variations
    .filter(({ archived_at, is_control }) => !archived_at && !is_control)
    .map(({ id, name }) => ({ value: id, label: name }));
  const variation = (path: string, label: string) => (
    <SelectField
      path={path}
      label={label}
      required
      options={variations}
      value={typed.variation}
      onChange={(value) => set({ variation: value })}
    />
  );
  switch (verb.action) {
    case "launch":
    case "resume":
    case "restart":
      return <Reach open={open} />;
    case "complete":
      return (
        <>
          <SelectField
            path="outcome"
            label="Outcome"
            value={typed.outcome}
            onChange={(outcome) => set({ outcome })}
            options={[
              { value: "", label: "Not decided yet" },
              ...Object.entries(OUTCOMES).map(([value, label]) => ({ value, label })),
            ]}
          />
          {typed.outcome === "won" && variation("winning_variation_id", "Winner")}
          <TextField
            path="learning"
            label="Learning"
            rows={3}
            maxLength={10_000}
            value={typed.text}
            onChange={(text) => set({ text })}
            hint="One or two sentences for those who plan the next test."
          />
        </>
      );
    case "ship":
      return (
        <>
          {variation("variation_id", "Variation")}
          <TextField
            path="name"
            label="Name of the personalization"
            value={typed.name}
            onChange={(name) => set({ name })}
          />
        </>
      );
    case "schedule":
      return (
        <>
          {!experiment.started_at && (
            <TextField
              path="start_at"
              label="Start"
              type="datetime-local"
              value={typed.start}
              onChange={(start) => set({ start })}
              hint={`On the clock of ${zone}.`}
            />
          )}
          <TextField
            path="end_at"
            label="End"
            type="datetime-local"
            value={typed.end}
            onChange={(end) => set({ end })}
            hint={`On the clock of ${zone}. It is completed then; without an end it runs until you complete it.`}
          />
        </>
      );
    case "request-approval":
      return (
        <>
          <TextField path="message" label="Message" rows={3} value={typed.text} onChange={(text) => set({ text })} />
          {may("screenshots:write") && (
            <CheckField
              path="screenshots"
              label="Take pictures of the page, without and with each variation"
              value={typed.isOn}
              onChange={(isOn) => set({ isOn })}
            />
          )}
          {typed.isOn && (
            <LinesField
              path="screenshot_urls"
              label="Pages to take pictures of"
              rows={2}
              value={typed.urls}
              onChange={(urls) => set({ urls })}
              hint={`One address a line; by default ${experiment.store_url ?? "the page that the experiment names"}.`}
            />
          )}
        </>
      );
    case "pause":
    case "withdraw-approval":
    case "return-to-draft":
      return (
        <TextField
          path="reason"
          label="Reason"
          value={typed.text}
          onChange={(text) => set({ text })}
          hint="It is kept in the history."
        />
      );
    case "duplicate":
      return (
        <>
          <TextField path="name" label="Name of the copy" value={typed.name} onChange={(name) => set({ name })} />
          <CheckField
            path="include_goals"
            label="With its goals"
            value={typed.isOn}
            onChange={(isOn) => set({ isOn })}
          />
        </>
      );
    default:
      return null;
  }
}

/** Whom a launch reaches, and what is left to consider. */
function Reach({ open: { experiment, checklist } }: { open: Open }) {
  const library = useLibrary();
  const left = checklist.items.filter(({ status }) => status !== "pass");
  return (
    <>
      <TargetingWords value={experiment.targeting} library={library.data} />
      <dl class="facts">
        <dt>Visitors</dt>
        <dd>
          {Math.round(experiment.traffic_allocation * 100)} %, split {split(experiment.variations)}
        </dd>
        <dt>Decided by</dt>
        <dd>{experiment.goals.find(({ is_primary, archived_at }) => is_primary && !archived_at)?.name ?? "no goal"}</dd>
      </dl>
      {left.length > 0 && (
        <ul class="left">
          {left.map(({ key, label, status, message }) => (
            <li key={key} class={`note ${status === "fail" ? "bad" : "warn"}`}>
              {label}: {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
