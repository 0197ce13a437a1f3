import { useState } from "preact/hooks";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { useDoing, useLoaded } from "../../api/loading.ts";
import { CheckField } from "../../kit/choices.tsx";
import { Form } from "../../kit/form.tsx";
import { Section } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { count } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import { SettingForm, Settings } from "./common.tsx";

/** Publish now, and who hears of it. */
export default function PublicationTab() {
  const loaded = useLoaded(() => data(api.GET("/settings/publication")), []);
  return (
    <Settings
      tab="/settings/publication"
      lead="Every change is published by itself, in seconds. Publishing by hand repeats what failed, and does no harm."
    >
      {may("settings:write") && <Now />}
      <Section title="Webhooks">
        <Shown of={loaded}>
          {(read) => (
            <SettingForm
              loaded={loaded}
              read={read}
              toDraft={({ webhooks_enabled }) => ({ webhooks_enabled })}
              names={{ webhooks_enabled: "webhooks" }}
              save={({ changed: body }) =>
                data(api.PATCH("/settings/publication", { params: { header: ifMatch(read) }, body }))
              }
            >
              {({ draft, set }) => (
                <CheckField
                  path="webhooks_enabled"
                  label="Tell webhooks of each publication"
                  hint="The event project.published, for webhooks that subscribed to it."
                  value={draft.webhooks_enabled}
                  onChange={(webhooks_enabled) => set({ webhooks_enabled })}
                />
              )}
            </SettingForm>
          )}
        </Shown>
      </Section>
    </Settings>
  );
}

function Now() {
  const doing = useDoing();
  const [result, setResult] = useState<Schemas["PublishResult"] | null>(null);
  return (
    <Section title="Publish now">
      <Form
        doing={doing}
        submit="Publish"
        onSubmit={async () => {
          setResult(null);
          setResult(await data(api.POST("/settings/publish")));
        }}
      >
        {result && <Result of={result} />}
      </Form>
    </Section>
  );
}

function Result({ of }: { of: Schemas["PublishResult"] }) {
  const { status, summary } = of.precompile;
  const tone = of.status === "failed" ? "bad" : status === "ok" ? "good" : "warn";
  return (
    <p class={`note ${tone}`} role="status">
      {of.status === "failed" ? "Not published. " : `Published as number ${count(of.revision)}. `}
      {status !== "ok" && summary}
    </p>
  );
}
