import { CheckField } from "../../kit/choices.tsx";
import { TextField } from "../../kit/form.tsx";
import { JsonField } from "../../kit/json.tsx";
import type { TriggerDraft } from "./trigger_draft.ts";

interface Props {
  draft: TriggerDraft;
  set: (part: Partial<TriggerDraft>) => void;
}

const PATHS = "A path into the push. Several, with commas between them, are tried in their order.";

/** The fields of a trigger: what it listens to, and what becomes of it. */
export function TriggerFields({ draft, set }: Props) {
  return (
    <>
      <TextField
        path="eventName"
        label="Event of the page"
        value={draft.eventName}
        onChange={(eventName) => set({ eventName })}
        placeholder="purchase"
        maxLength={255}
        hint='As in dataLayer.push({event: "purchase"}).'
        required
      />
      <CheckField
        path="enabled"
        label="It takes effect"
        value={draft.enabled}
        onChange={(enabled) => set({ enabled })}
      />
      <Order draft={draft} set={set} />
      <TextField
        path="trackEventName"
        label="It becomes the event"
        value={draft.trackEventName}
        onChange={(trackEventName) => set({ trackEventName })}
        placeholder="newsletter"
        maxLength={255}
        hint="A goal with this event name counts it. Empty: no event."
      />
      <CheckField
        path="trackPageview"
        label="It is a page view, too"
        hint="For pages that change without a new address."
        value={draft.trackPageview}
        onChange={(trackPageview) => set({ trackPageview })}
      />
      <CheckField
        path="reEvaluate"
        label="Decide again at once"
        hint="Who is in an audience is asked again after the push, instead of on the next page."
        value={draft.reEvaluate}
        onChange={(reEvaluate) => set({ reEvaluate })}
      />
      <More draft={draft} set={set} />
    </>
  );
}

function Order({ draft, set }: Props) {
  return (
    <>
      <CheckField
        path="trackRevenue"
        label="It is an order"
        value={draft.isOrder}
        onChange={(isOrder) => set({ isOrder })}
      />
      {draft.isOrder && (
        <>
          <TextField
            path="trackRevenue.revenueFrom"
            label="Amount"
            value={draft.revenueFrom}
            onChange={(revenueFrom) => set({ revenueFrom })}
            hint={PATHS}
            required
          />
          <TextField
            path="trackRevenue.orderIdFrom"
            label="Number of the order"
            value={draft.orderIdFrom}
            onChange={(orderIdFrom) => set({ orderIdFrom })}
            hint="Without it, a page that is loaded again counts again."
          />
          <TextField
            path="trackRevenue.currencyFrom"
            label="Currency"
            value={draft.currencyFrom}
            onChange={(currencyFrom) => set({ currencyFrom })}
            hint="Without it: the shop's."
          />
        </>
      )}
    </>
  );
}

function More({ draft, set }: Props) {
  return (
    <details>
      <summary>Conditions, properties, attributes of the visitor</summary>
      <TextField
        path="dataLayerName"
        label="Name of the data layer"
        value={draft.dataLayerName}
        onChange={(dataLayerName) => set({ dataLayerName })}
        maxLength={100}
      />
      <JsonField
        path="when"
        label="Conditions, all of which must hold"
        value={draft.when}
        onChange={(when) => set({ when })}
        hint={'[{"path": "ecommerce.value", "op": "gt", "value": 0}]'}
      />
      <JsonField
        path="properties"
        label="Properties of the event"
        value={draft.properties}
        onChange={(properties) => set({ properties })}
        hint={'[{"from": "ecommerce.coupon", "to": "coupon"}]'}
      />
      <JsonField
        path="mappings"
        label="Attributes of the visitor"
        value={draft.mappings}
        onChange={(mappings) => set({ mappings })}
        hint={'[{"from": "user.tier", "to": "page.tier", "persist": true, "ttlDays": 90}]'}
      />
    </details>
  );
}
