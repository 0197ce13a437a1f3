import { useLoaded } from "../../api/loading.ts";
import { Badge } from "../../kit/badge.tsx";
import { Section } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { attempt } from "../../kit/toast.tsx";
import { Ago, Time } from "../../kit/values.tsx";
import { identity, type Session, session } from "../../session/session.ts";
import { browserIn } from "./roles.ts";

interface Entry {
  id: string;
  level: Session["level"];
  created_at: string;
  last_seen_at: string;
  user_agent: string;
  is_current: boolean;
}

const LEVELS: Record<Session["level"], string> = {
  key: "an API key",
  local: "the link of this computer",
  email: "a code or link by mail (reads only)",
  passkey: "a passkey",
};

/** Where one is signed in. */
export function Sessions() {
  const loaded = useLoaded(() => identity<{ data: Entry[] }>("GET", "/sessions"), [session.value]);
  const end = async (path: string, method: string) => {
    await identity(method, path);
    await loaded.reload();
  };
  const columns: Column<Entry>[] = [
    {
      title: "Browser",
      isName: true,
      cell: (row) => (
        <span title={row.user_agent}>
          {browserIn(row.user_agent)} {row.is_current && <Badge tone="good">this one</Badge>}
        </span>
      ),
    },
    { title: "Signed in with", cell: (row) => LEVELS[row.level] },
    { title: "Since", cell: (row) => <Time at={row.created_at} /> },
    { title: "Last used", cell: (row) => <Ago at={row.last_seen_at} /> },
    {
      title: "",
      cell: (row) =>
        !row.is_current && (
          <button
            type="button"
            aria-label={`End the session in ${browserIn(row.user_agent)}`}
            onClick={() => void attempt(() => end(`/sessions/${row.id}`, "DELETE"), "Ended.")}
          >
            End
          </button>
        ),
    },
  ];
  return (
    <Section title="Where you are signed in" lead="A session ends after an hour without use, and after twelve hours.">
      <Shown of={loaded}>
        {({ data }) => (
          <>
            <Table caption="Sessions" columns={columns} rows={data} keyOf={(row) => row.id} />
            {data.length > 1 && (
              <p class="more">
                <button type="button" onClick={() => void attempt(() => end("/sessions/end-others", "POST"), "Ended.")}>
                  End all others
                </button>
              </p>
            )}
          </>
        )}
      </Shown>
    </Section>
  );
}
