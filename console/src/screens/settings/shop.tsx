import { at } from "../../address.ts";
import { api, data, ifMatch, type Schemas, shopId } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { CheckField, SelectField } from "../../kit/choices.tsx";
import { TextField } from "../../kit/form.tsx";
import { useLiveImpact } from "../../kit/live_impact.tsx";
import { NumberField } from "../../kit/number.tsx";
import { Section } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { session } from "../../session/session.ts";
import { SettingForm, Settings } from "./common.tsx";
import { Defaults } from "./defaults.tsx";

type Shop = Schemas["Shop"];

const CURRENCIES = Intl.supportedValuesOf("currency");
const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const names = new Intl.DisplayNames("en", { type: "currency" });

/** The shop itself, and what its experiments inherit. */
export default function ShopTab() {
  const shop_id = shopId.value;
  const loaded = useLoaded(() => data(api.GET("/shops/{shop_id}", { params: { path: { shop_id } } })), [shop_id]);
  const impact = useLiveImpact();
  const save = (changed: Partial<Draft>, read: Shop) =>
    impact.run(async (confirmed) => {
      const { origin, ...others } = changed;
      const body = { ...others, ...(origin !== undefined && { origin: origin.trim() || null }), ...confirmed };
      const params = { path: { shop_id }, header: ifMatch(read) };
      const saved = await data(api.PATCH("/shops/{shop_id}", { params, body }));
      rename(saved);
      return saved;
    });
  return (
    <Settings tab="/settings" lead="The shop's name and money, and what new experiments begin with.">
      <Shown of={loaded}>
        {(read) => (
          <SettingForm
            loaded={loaded}
            read={read}
            scope="shop:write"
            toDraft={draftOf}
            names={{ name: "name", currency: "currency", timezone: "timezone", origin: "origin" }}
            save={({ changed }) => save(changed, read)}
          >
            {({ draft, set }) => (
              <>
                <TextField
                  path="name"
                  label="Name"
                  value={draft.name}
                  onChange={(name) => set({ name })}
                  maxLength={255}
                  required
                />
                <SelectField
                  path="currency"
                  label="Currency"
                  value={draft.currency}
                  onChange={(currency) => set({ currency })}
                  options={currencies(draft.currency)}
                  hint="Of all amounts in results. Orders in another currency are left out of sums."
                  required
                />
                <SelectField
                  path="timezone"
                  label="Time zone"
                  value={draft.timezone}
                  onChange={(timezone) => set({ timezone })}
                  options={zones(draft.timezone)}
                  hint={`Of moments in the console, and of days of visitors and orders. Days of results are those of UTC. This browser is in ${OWN_ZONE}.`}
                  required
                />
                <TextField
                  path="origin"
                  label="Origin"
                  type="url"
                  value={draft.origin}
                  onChange={(origin) => set({ origin })}
                  placeholder={`https://${read.domain}`}
                  maxLength={300}
                  hint="Only where pages are not at https:// and the main host."
                />
                <CheckField
                  path="holdout_v1_enabled"
                  label="Keep a part of the visitors out of everything"
                  hint="They see no experiment and no personalization: what all of it together is worth."
                  value={draft.holdout_v1_enabled}
                  onChange={(holdout_v1_enabled) => set({ holdout_v1_enabled })}
                />
                {draft.holdout_v1_enabled && (
                  <NumberField
                    path="holdout_pct"
                    label="Part that is kept out"
                    value={draft.holdout_pct}
                    onChange={(value) => set({ holdout_pct: value ?? 0 })}
                    min={0}
                    max={10}
                    unit="%"
                    required
                  />
                )}
                <p class="soft">
                  Main host: {read.domain} (<a href={at("/settings/domains")}>change</a>).
                </p>
              </>
            )}
          </SettingForm>
        )}
      </Shown>
      {impact.dialog}
      <Section title="Defaults of experiments" lead="An experiment can differ from them. Running ones are not changed.">
        <Defaults />
      </Section>
    </Settings>
  );
}

interface Draft {
  name: string;
  currency: string;
  timezone: string;
  origin: string;
  holdout_pct: number;
  holdout_v1_enabled: boolean;
}

function draftOf({ name, currency, timezone, origin, holdout_pct, holdout_v1_enabled }: Shop): Draft {
  return { name, currency, timezone, origin: origin ?? "", holdout_pct, holdout_v1_enabled };
}

/** Return the zones that the browser knows, with that of the shop and UTC, which not every browser lists. */
function zones(current: string) {
  const known = new Set(["UTC", OWN_ZONE, ...Intl.supportedValuesOf("timeZone"), current]);
  return [...known].map((value) => ({ value, label: value.replaceAll("_", " ") }));
}

function currencies(current: string) {
  const codes = CURRENCIES.includes(current) ? CURRENCIES : [current, ...CURRENCIES];
  return codes.map((value) => ({ value, label: `${value} – ${names.of(value) ?? value}` }));
}

/** Show the new name, currency and zone everywhere at once. */
function rename(saved: Shop): void {
  if (!session.value) return;
  const shops = session.value.shops.map((each) =>
    each.id === saved.id ? { ...each, name: saved.name, currency: saved.currency, timezone: saved.timezone } : each,
  );
  session.value = { ...session.value, shops };
}
