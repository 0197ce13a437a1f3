import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useRows } from "../../api/loading.ts";
import { Badge } from "../../kit/badge.tsx";
import { Empty } from "../../kit/state.tsx";
import { type Column, List } from "../../kit/table.tsx";
import { Ago } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import { Settings } from "./common.tsx";
import { effectsOf } from "./trigger_draft.ts";

type Trigger = Schemas["DataLayerTrigger"];

const COLUMNS: readonly Column<Trigger>[] = [
  {
    title: "Event of the page",
    isName: true,
    cell: (row) => (
      <>
        <a href={at("/settings/triggers", row.id)}>{row.eventName}</a>
        <small class="soft">in {row.dataLayerName ?? "dataLayer"}</small>
      </>
    ),
  },
  { title: "Becomes", cell: (row) => <span class="words">{effectsOf(row).join(", ") || "nothing"}</span> },
  {
    title: "State",
    cell: ({ enabled }) => <Badge tone={enabled ? "good" : "plain"}>{enabled ? "on" : "off"}</Badge>,
  },
  { title: "Changed", cell: (row) => <Ago at={row.updated_at} /> },
];

/** Pushes to the data layer that become orders, events and attributes. */
export default function TriggersTab() {
  const rows = useRows(
    (cursor) => data(api.GET("/settings/data-layer-triggers", { params: { query: { cursor } } })),
    [],
  );
  return (
    <Settings
      tab="/settings/triggers"
      lead="If your pages already tell a tag manager what happens (dataLayer.push), we can listen: a purchase there becomes an order here, without more code."
    >
      {may("settings:write") && (
        <p class="buttons apart">
          <a class="button primary" href={at("/settings/triggers/new")}>
            New trigger
          </a>
        </p>
      )}
      <List caption="Triggers" columns={COLUMNS} of={rows} keyOf={(row) => row.id} empty={<None />} />
    </Settings>
  );
}

function None() {
  return (
    <Empty title="No trigger yet">
      <p>Begin with the event purchase: say where it has the amount and the order's number, and test it with a push.</p>
    </Empty>
  );
}
