import { api, data, ifMatch } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { CheckField, SelectField } from "../../kit/choices.tsx";
import { TextField } from "../../kit/form.tsx";
import { Shown } from "../../kit/state.tsx";
import { SettingForm, Settings } from "./common.tsx";

const PROVIDERS = {
  custom: { label: "The page's own value or function", group: "" },
  provider_a: { label: "OneTrust", group: "C0002" },
  provider_b: { label: "Cookiebot", group: "statistics" },
  provider_c: { label: "Usercentrics", group: "marketing" },
  provider_d: { label: "Didomi", group: "cookies" },
  provider_e: { label: "IAB TCF (any provider that supports it)", group: "1" },
  provider_f: { label: "Google Consent Mode", group: "analytics_storage" },
  provider_g: { label: "Shopify customer privacy", group: "analytics" },
} as const;

type Provider = keyof typeof PROVIDERS;
const OPTIONS = Object.entries(PROVIDERS).map(([value, { label }]) => ({ value, label }));

/** Whether visitors must have consented before they are measured. */
export default function ConsentTab() {
  const loaded = useLoaded(() => data(api.GET("/settings/consent")), []);
  return (
    <Settings
      tab="/settings/consent"
      lead="Whether visitors take part only after they consented, and where their consent is read."
    >
      <Shown of={loaded}>
        {(read) => (
          <SettingForm
            loaded={loaded}
            read={read}
            toDraft={({ consentMode }) => consentMode}
            names={{ enabled: "the switch", provider: "consent tool", getter: "place", requiredGroup: "group" }}
            save={({ changed: consentMode }) =>
              data(api.PATCH("/settings/consent", { params: { header: ifMatch(read) }, body: { consentMode } }))
            }
          >
            {({ draft, set }) => (
              <>
                <CheckField
                  path="consentMode.enabled"
                  label="Wait for consent"
                  hint="Visitors without consent see the original shop, and are not counted."
                  value={draft.enabled}
                  onChange={(enabled) => set({ enabled })}
                />
                <SelectField
                  path="consentMode.provider"
                  label="Consent tool"
                  value={draft.provider}
                  onChange={(provider) => set({ provider: provider as Provider })}
                  options={OPTIONS}
                  required
                />
                {draft.provider === "custom" && (
                  <TextField
                    path="consentMode.getter"
                    label="Where the page has the consent"
                    value={draft.getter}
                    onChange={(getter) => set({ getter })}
                    placeholder="shop.consent.hasAnalytics"
                    maxLength={200}
                    hint="Name of a value or function of the page, with dots; never code."
                    required
                  />
                )}
                <TextField
                  path="consentMode.requiredGroup"
                  label="Group that must be accepted"
                  value={draft.requiredGroup}
                  onChange={(requiredGroup) => set({ requiredGroup })}
                  maxLength={200}
                  hint={groupHint(draft.provider)}
                />
                <Rules of={read.prerequisites} />
              </>
            )}
          </SettingForm>
        )}
      </Shown>
    </Settings>
  );
}

function groupHint(provider: Provider): string {
  const { group } = PROVIDERS[provider];
  return group ? `Empty: ${group}.` : "It is passed to the function.";
}

function Rules({ of }: { of: { showVariationsRule: string | null; startTrackingRule: string | null } }) {
  return (
    <dl class="facts">
      <dt>Variations are shown</dt>
      <dd>{of.showVariationsRule ?? "always"}</dd>
      <dt>Visitors are counted</dt>
      <dd>{of.startTrackingRule ?? "always"}</dd>
    </dl>
  );
}
