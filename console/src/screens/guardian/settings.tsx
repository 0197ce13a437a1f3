import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { CheckField } from "../../kit/choices.tsx";
import { NumberField } from "../../kit/number.tsx";
import { Page } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { shop } from "../../session/session.ts";
import { SettingForm } from "../settings/common.tsx";
import { GuardianTabs } from "./findings.tsx";

type Guardian = Schemas["GuardianOverride"];

/** What Guardian checks and may do in every experiment of the shop that does not say otherwise. */
export default function GuardianSettings() {
  const loaded = useLoaded(() => data(api.GET("/shop/defaults")), []);
  return (
    <Page title="Guardian" lead="For every experiment that does not say otherwise.">
      <GuardianTabs current="/guardian/settings" />
      <Shown of={loaded}>
        {(read) => (
          <SettingForm
            loaded={loaded}
            read={read}
            scope="shop:write"
            names={{ drift: "delivery drift", loss: "lost revenue" }}
            toDraft={({ guardian }) => draftOf(guardian)}
            save={({ draft, changed }) =>
              data(
                api.PATCH("/shop/defaults", {
                  params: { header: ifMatch(read) },
                  body: { guardian: bodyOf(changed, draft) },
                }),
              )
            }
          >
            {({ draft, set }) => <Fields draft={draft} set={set} />}
          </SettingForm>
        )}
      </Shown>
    </Page>
  );
}

interface Draft {
  enabled: boolean;
  pause_on_broken: boolean;
  pause_on_harm: boolean;
  alert_on_data_quality: boolean;
  drift: boolean;
  driftPauses: boolean;
  loss: number | null;
}

function draftOf(guardian: Guardian): Draft {
  const { delivery_drift: drift, revenue_loss: loss } = guardian;
  return {
    enabled: guardian.enabled ?? true,
    pause_on_broken: guardian.pause_on_broken ?? true,
    pause_on_harm: guardian.pause_on_harm ?? true,
    alert_on_data_quality: guardian.alert_on_data_quality ?? true,
    drift: drift?.enabled ?? true,
    driftPauses: drift?.shouldPause ?? true,
    loss: loss?.enabled === false ? null : (loss?.threshold_amount ?? null),
  };
}

function bodyOf(changed: Partial<Draft>, draft: Draft): Guardian {
  const { drift, driftPauses, loss, ...others } = changed;
  return {
    ...others,
    ...((drift !== undefined || driftPauses !== undefined) && {
      delivery_drift: { enabled: draft.drift, shouldPause: draft.driftPauses },
    }),
    ...(loss !== undefined && {
      revenue_loss: { enabled: loss !== null, threshold_amount: loss, currency: loss === null ? null : currency() },
    }),
  };
}

function currency(): string | null {
  return shop.value?.currency ?? null;
}

function Fields({ draft, set }: { draft: Draft; set: (part: Partial<Draft>) => void }) {
  return (
    <>
      <CheckField
        path="guardian.enabled"
        label="Look after experiments"
        value={draft.enabled}
        onChange={(enabled) => set({ enabled })}
      />
      <CheckField
        path="guardian.pause_on_broken"
        label="Pause what is broken"
        hint="A variation that is not delivered, scripts that fail, a goal that breaks down. It is reported in any case."
        value={draft.pause_on_broken}
        onChange={(pause_on_broken) => set({ pause_on_broken })}
      />
      <CheckField
        path="guardian.pause_on_harm"
        label="Pause what does harm"
        hint="A goal that gets worse, visitors who bring less money. It is reported in any case."
        value={draft.pause_on_harm}
        onChange={(pause_on_harm) => set({ pause_on_harm })}
      />
      <CheckField
        path="guardian.alert_on_data_quality"
        label="Report data that cannot be trusted"
        hint="Visitors not split as planned, missing events, orders reported twice or in other currencies."
        value={draft.alert_on_data_quality}
        onChange={(alert_on_data_quality) => set({ alert_on_data_quality })}
      />
      <CheckField
        path="guardian.delivery_drift.enabled"
        label="Watch for visitors who do not get their variation"
        value={draft.drift}
        onChange={(drift) => set({ drift })}
      />
      {draft.drift && (
        <CheckField
          path="guardian.delivery_drift.shouldPause"
          label="Pause then"
          value={draft.driftPauses}
          onChange={(driftPauses) => set({ driftPauses })}
        />
      )}
      <NumberField
        path="guardian.revenue_loss.threshold_amount"
        label="Pause when a variation has cost"
        value={draft.loss}
        onChange={(loss) => set({ loss })}
        min={0}
        unit={currency() ?? ""}
        hint="Beyond chance. Empty: no such limit."
      />
    </>
  );
}
