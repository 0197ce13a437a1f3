import type { Schemas } from "../../api/client.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { statusWords } from "./words.ts";

type Experiment = Schemas["Experiment"];

const TONES: Partial<Record<Experiment["status"], Tone>> = {
  running: "good",
  paused: "warn",
  awaiting_client_approval: "warn",
  changes_requested: "warn",
};

/** Status of an experiment in words, and that it is archived. */
export function ExperimentStatus({ of }: { of: Pick<Experiment, "status" | "archived_at"> }) {
  return (
    <>
      <Badge tone={of.archived_at ? "plain" : TONES[of.status]}>{statusWords(of.status)}</Badge>
      {of.archived_at && <Badge>Archived</Badge>}
    </>
  );
}
