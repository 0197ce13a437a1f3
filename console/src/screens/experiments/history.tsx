import { api, data, type Schemas } from "../../api/client.ts";
import { useRows } from "../../api/loading.ts";
import { changesIn, Diff } from "../../kit/diff.tsx";
import { More } from "../../kit/more.tsx";
import { Person } from "../../kit/people.tsx";
import { Empty, Refused, Shown } from "../../kit/state.tsx";
import { Time } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import { ExperimentFrame } from "./frame.tsx";
import { namesIn, rowInWords } from "./history_words.ts";
import type { Experiment } from "./open.ts";

type Row = Schemas["AuditLog"];

const SERVICE = "00000000-0000-7000-8000-000000000001";
const FEW = 12;

/** Everything that happened to the experiment, newest first. */
export default function HistoryTab() {
  return (
    <ExperimentFrame tab="history">
      {({ experiment }) =>
        may("audit:read") ? <Rows key={experiment.id} experiment={experiment} /> : <Refused scope="audit:read" />
      }
    </ExperimentFrame>
  );
}

function Rows({ experiment }: { experiment: Experiment }) {
  const params = { path: { experiment_id: experiment.id } };
  const rows = useRows(
    (cursor) =>
      data(
        api.GET("/experiments/{experiment_id}/history", {
          params: { ...params, query: { ...(cursor && { cursor }) } },
        }),
      ),
    [experiment.id],
  );
  const names = namesIn(experiment);
  return (
    <Shown of={rows}>
      {(read) =>
        read.length === 0 ? (
          <Empty title="Nothing happened yet">
            <p>Every change and every step of the experiment will stand here, with who took it.</p>
          </Empty>
        ) : (
          <>
            <ol class="history">
              {read.map((row) => (
                <Entry key={row.id} row={row} names={names} />
              ))}
            </ol>
            <More of={rows} />
          </>
        )
      }
    </Shown>
  );
}

function Entry({ row, names }: { row: Row; names: ReadonlyMap<string, string> }) {
  const changes = changesIn(row.diff);
  const { title, summary } = rowInWords(row, names);
  return (
    <li>
      <p>
        <strong>{title}</strong>{" "}
        <span class="soft">
          <Time at={row.created_at} />, {row.user_id === SERVICE ? "the service" : <Person id={row.user_id} />}
        </span>
      </p>
      {summary && <p>{summary}</p>}
      {changes.length > 0 && (
        <details open={changes.length <= FEW && row.action.endsWith(".update")}>
          <summary>{changes.length === 1 ? "One field" : `${changes.length} fields`}</summary>
          <Diff changes={changes} caption={`What changed: ${title}`} names={names} />
        </details>
      )}
    </li>
  );
}
