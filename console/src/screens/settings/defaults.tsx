import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { CheckField, SelectField } from "../../kit/choices.tsx";
import { NumberField } from "../../kit/number.tsx";
import { Shown } from "../../kit/state.tsx";
import { SettingForm } from "./common.tsx";

type Update = Schemas["ShopDefaultsUpdate"];
type Mode = NonNullable<NonNullable<Update["auto_stop"]>["mode"]>;

const MODES: { value: Mode; label: string }[] = [
  { value: "off", label: "Never: people decide" },
  { value: "sequential_significance", label: "At any time, once a result is certain" },
  { value: "group_sequential", label: "At planned looks, by the plan" },
  { value: "fixed_horizon_planned_end", label: "At the planned end" },
];

const NAMES = {
  alpha: "risk of a false alarm",
  power: "chance to see an effect",
  attribution_window_days: "days that count",
  correction_method: "several comparisons",
  covariate_adjustment: "adjustment",
  require_approval: "approval",
  require_landing_qa: "check of landing pages",
  stop: "automatic end",
};

/** What experiments inherit. */
export function Defaults() {
  const loaded = useLoaded(() => data(api.GET("/shop/defaults")), []);
  return (
    <Shown of={loaded}>
      {(read) => (
        <SettingForm
          loaded={loaded}
          read={read}
          scope="shop:write"
          names={NAMES}
          toDraft={({ guardian: _, auto_stop, alpha, power, ...others }) => ({
            ...others,
            alpha: asPercent(alpha),
            power: asPercent(power),
            stop: auto_stop.mode ?? "off",
          })}
          save={({ changed: { alpha, power, stop, ...others } }) => {
            const body: Update = {
              ...others,
              ...(alpha !== undefined && { alpha: alpha / 100 }),
              ...(power !== undefined && { power: power / 100 }),
              ...(stop !== undefined && { auto_stop: { mode: stop } }),
            };
            return data(api.PATCH("/shop/defaults", { params: { header: ifMatch(read) }, body }));
          }}
        >
          {({ draft, set }) => (
            <>
              <NumberField
                path="alpha"
                label="Risk of a false alarm"
                value={draft.alpha}
                onChange={(value) => set({ alpha: value ?? 0 })}
                min={0.1}
                max={20}
                unit="%"
                hint="How often a test without any effect may end with a winner: 0.1 to 20 %, usually 5 %."
                required
              />
              <NumberField
                path="power"
                label="Chance to see the planned effect"
                value={draft.power}
                onChange={(value) => set({ power: value ?? 0 })}
                min={50}
                max={99}
                unit="%"
                hint="More needs more visitors: 50 to 99 %, usually 80 %."
                required
              />
              <NumberField
                path="attribution_window_days"
                label="Days after a first view that count"
                value={draft.attribution_window_days}
                onChange={(value) => set({ attribution_window_days: value ?? 0 })}
                min={1}
                max={90}
                step={1}
                unit="days"
                required
              />
              <SelectField
                path="auto_stop.mode"
                label="Experiments end by themselves"
                value={draft.stop}
                onChange={(stop) => set({ stop: stop as Mode })}
                options={MODES}
                hint="They are paused, and shoppers see the original; people complete them."
                required
              />
              <SelectField
                path="correction_method"
                label="With several variations or goals"
                value={draft.correction_method}
                onChange={(value) => set({ correction_method: value as typeof draft.correction_method })}
                options={[
                  { value: "holm", label: "Keep the risk for all comparisons together (Holm)" },
                  { value: "none", label: "Each comparison has the whole risk" },
                ]}
                required
              />
              <SelectField
                path="covariate_adjustment"
                label="Use what visitors did before the test"
                value={draft.covariate_adjustment}
                onChange={(value) => set({ covariate_adjustment: value as typeof draft.covariate_adjustment })}
                options={[
                  { value: "none", label: "No" },
                  { value: "cuped", label: "Yes, where the plan does not say otherwise (CUPED)" },
                ]}
                hint="It makes intervals narrower in shops whose visitors come back."
                required
              />
              <CheckField
                path="require_approval"
                label="A launch needs an approved design"
                value={draft.require_approval}
                onChange={(require_approval) => set({ require_approval })}
              />
              <CheckField
                path="require_landing_qa"
                label="A landing page needs an approved check before it is published"
                value={draft.require_landing_qa}
                onChange={(require_landing_qa) => set({ require_landing_qa })}
              />
            </>
          )}
        </SettingForm>
      )}
    </Shown>
  );
}

function asPercent(share: number): number {
  return Math.round(share * 100_000) / 1000;
}
