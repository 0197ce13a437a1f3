import { api, data } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { Time } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import { namesIn, rowInWords } from "./history_words.ts";
import type { Experiment } from "./open.ts";
import { after } from "./outcomes.ts";

const TONES: Record<string, string> = { won: "note good", lost: "note bad" };

/** What a completed experiment came to: outcome, winner and learning. */
export function Ended({ experiment }: { experiment: Experiment }) {
  return experiment.status === "completed" && may("audit:read") ? <Outcome experiment={experiment} /> : null;
}

function Outcome({ experiment }: { experiment: Experiment }) {
  const { id, ended_at } = experiment;
  const query = { entity_id: id, action: "experiment.complete", limit: 1 };
  const rows = useLoaded(() => data(api.GET("/audit-logs", { params: { query } })), [id, ended_at]);
  const row = rows.data?.data[0];
  if (!row) return null;
  const { summary } = rowInWords(row, namesIn(experiment));
  return (
    <p class={TONES[String(after(row.diff, "outcome"))] ?? "note"}>
      {summary ?? "No outcome was written down."}{" "}
      <span class="soft">
        <Time at={row.created_at} />
      </span>
    </p>
  );
}
