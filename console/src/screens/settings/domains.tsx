import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { LinesField, TextField } from "../../kit/form.tsx";
import { Shown } from "../../kit/state.tsx";
import { SettingForm, Settings } from "./common.tsx";

type Domains = Schemas["InstallDomainsResponse"];

/** The hosts of the shop. */
export default function DomainsTab() {
  const loaded = useLoaded(() => data(api.GET("/settings/install-domains")), []);
  return (
    <Settings
      tab="/settings/domains"
      lead="The hosts where your shop is. Only pages there can be checked and previewed, and a host belongs to one shop."
    >
      <Shown of={loaded}>
        {(read) => (
          <SettingForm
            loaded={loaded}
            read={read}
            toDraft={({ domain, additionalDomains }) => ({ domain, additionalDomains })}
            names={{ domain: "main host", additionalDomains: "further hosts" }}
            save={({ changed }, { revision: expected_revision }) =>
              data(
                api.PATCH("/settings/install-domains", {
                  params: { header: ifMatch(read) },
                  body: { ...changed, expected_revision },
                }),
              )
            }
          >
            {({ draft, set, generation }) => (
              <>
                <TextField
                  path="domain"
                  label="Main host"
                  value={draft.domain}
                  onChange={(domain) => set({ domain })}
                  placeholder="shop.example"
                  maxLength={253}
                  hint="Without https:// and without a path."
                  required
                />
                <LinesField
                  key={generation}
                  path="additionalDomains"
                  label="Further hosts"
                  value={draft.additionalDomains}
                  onChange={(additionalDomains) => set({ additionalDomains })}
                  hint="One a line, such as the shop of another country."
                />
                <Origins of={read} />
              </>
            )}
          </SettingForm>
        )}
      </Shown>
    </Settings>
  );
}

function Origins({ of }: { of: Domains }) {
  return (
    <p class="soft">
      Pages of these origins are yours: {of.storeOrigins.map((origin) => origin.replace("https://", "")).join(", ")}.
    </p>
  );
}
