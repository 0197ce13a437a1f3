import { api, data, ifMatch } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { CheckField } from "../../kit/choices.tsx";
import { LinesField, TextField } from "../../kit/form.tsx";
import { NumberField } from "../../kit/number.tsx";
import { Section } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { SettingForm, Settings } from "./common.tsx";

/** Domains outside the shop, and the shop's own analytics. */
export default function TrackingTab() {
  return (
    <Settings
      tab="/settings/tracking"
      lead="Where visitors go besides the shop, and which tools of yours learn what they saw."
    >
      <External />
      <Destinations />
    </Settings>
  );
}

function External() {
  const loaded = useLoaded(() => data(api.GET("/settings/external-tracking")), []);
  return (
    <Section
      title="Domains outside the shop"
      lead="A visitor who goes there, for example to pay, stays the same visitor: the link carries a token for a short time."
    >
      <Shown of={loaded}>
        {(read) => (
          <SettingForm
            loaded={loaded}
            read={read}
            toDraft={({ externalTracking }) => externalTracking}
            names={{ domains: "domains", signed: "signed tokens" }}
            save={({ changed }, { revision: expected_revision }) =>
              data(
                api.PATCH("/settings/external-tracking", {
                  params: { header: ifMatch(read) },
                  body: { externalTracking: changed, expected_revision },
                }),
              )
            }
          >
            {({ draft, set, generation }) => (
              <>
                <LinesField
                  key={generation}
                  path="externalTracking.domains"
                  label="Domains"
                  value={draft.domains}
                  onChange={(domains) => set({ domains })}
                  hint="One a line, such as pay.example."
                />
                <details>
                  <summary>How the visitor is handed over</summary>
                  <TextField
                    path="externalTracking.handoverQueryParam"
                    label="Parameter in the address"
                    value={draft.handoverQueryParam}
                    onChange={(handoverQueryParam) => set({ handoverQueryParam })}
                    maxLength={32}
                    required
                  />
                  <NumberField
                    path="externalTracking.handoverTtlSeconds"
                    label="The token is valid for"
                    value={draft.handoverTtlSeconds}
                    onChange={(value) => set({ handoverTtlSeconds: value ?? 0 })}
                    min={30}
                    max={600}
                    unit="seconds"
                    required
                  />
                  <NumberField
                    path="externalTracking.handoverMintTimeoutMs"
                    label="A page waits for a token at most"
                    value={draft.handoverMintTimeoutMs}
                    onChange={(value) => set({ handoverMintTimeoutMs: value ?? 0 })}
                    min={50}
                    max={2000}
                    unit="ms"
                    required
                  />
                  <CheckField
                    path="externalTracking.signed"
                    label="Accept signed tokens only"
                    hint="Only the operator of the service can turn this off."
                    value={draft.signed}
                    onChange={(signed) => set({ signed })}
                  />
                </details>
              </>
            )}
          </SettingForm>
        )}
      </Shown>
    </Section>
  );
}

function Destinations() {
  const loaded = useLoaded(() => data(api.GET("/settings/exposure-destinations")), []);
  return (
    <Section
      title="Your own analytics"
      lead="Each time a visitor sees a variation, the page tells these tools. We send them nothing ourselves, and need no key of theirs."
    >
      <Shown of={loaded}>
        {(read) => (
          <SettingForm
            loaded={loaded}
            read={read}
            toDraft={({ ga4, segment }) => ({ ga4: ga4.enabled, segment: segment.enabled })}
            names={{ ga4: "Google Analytics 4", segment: "Segment" }}
            save={({ changed }) =>
              data(
                api.PATCH("/settings/exposure-destinations", {
                  params: { header: ifMatch(read) },
                  body: Object.fromEntries(Object.entries(changed).map(([name, enabled]) => [name, { enabled }])),
                }),
              )
            }
          >
            {({ draft, set }) => (
              <>
                <CheckField
                  path="ga4.enabled"
                  label="Google Analytics 4"
                  hint="The event experience_impression, by gtag or the data layer."
                  value={draft.ga4}
                  onChange={(ga4) => set({ ga4 })}
                />
                <CheckField
                  path="segment.enabled"
                  label="Segment, or another tool with analytics.track"
                  hint="The event Experiment Viewed."
                  value={draft.segment}
                  onChange={(segment) => set({ segment })}
                />
              </>
            )}
          </SettingForm>
        )}
      </Shown>
    </Section>
  );
}
