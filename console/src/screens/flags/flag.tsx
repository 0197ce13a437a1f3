import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, ifMatch } from "../../api/client.ts";
import { type Loaded, useLoaded } from "../../api/loading.ts";
import { Status } from "../../kit/badge.tsx";
import { SelectField } from "../../kit/choices.tsx";
import { EditButton } from "../../kit/edit_button.tsx";
import { asJson } from "../../kit/json.tsx";
import { Page, Section } from "../../kit/page.tsx";
import { PreviewLinkDialog } from "../../kit/preview_link.tsx";
import { TargetingWords, useLibrary } from "../../kit/rules/targeting.tsx";
import { weekdaysInWords } from "../../kit/rules/weekdays.tsx";
import { saved } from "../../kit/saved.ts";
import { Shown } from "../../kit/state.tsx";
import { Ago, percent } from "../../kit/values.tsx";
import { type Verb, Verbs } from "../../kit/verbs.tsx";
import { may } from "../../session/session.ts";
import { type Flag, named, readValue } from "./addresses.ts";
import { EditFlag, EditTargeting } from "./edit.tsx";
import { EditValues } from "./values.tsx";

/** One flag in one environment. */
export default function FlagScreen() {
  const { params, query } = useRoute();
  const flag_id = params.flag_id ?? "";
  const environment_key = query.environment ?? "production";
  const flag = useLoaded(
    () => data(api.GET("/flags/{flag_id}", { params: { path: { flag_id }, query: { environment_key } } })),
    [flag_id, environment_key],
  );
  return <Shown of={flag}>{(read) => <Filled flag={read} of={flag} />}</Shown>;
}

type Part = "settings" | "values" | "targeting" | "preview";

function Filled({ flag, of }: { flag: Flag; of: Loaded<Flag> }) {
  const [open, setOpen] = useState<Part | null>(null);
  const library = useLibrary();
  const canWrite = may("flags:write") && flag.status !== "archived";
  const edit = (part: Part) =>
    canWrite && <EditButton isOpen={open === part} onToggle={() => setOpen(open === part ? null : part)} />;
  const close = () => setOpen(null);
  return (
    <Page
      title={flag.name}
      above={<a href={at("/flags")}>Flags</a>}
      beside={<Status status={flag.status} />}
      lead={flag.description}
      actions={<Bar flag={flag} of={of} onPreview={() => setOpen("preview")} />}
    >
      <dl class="facts">
        <dt>Key</dt>
        <dd>
          <code>{flag.key}</code>
        </dd>
        <dt>Environment</dt>
        <dd>{flag.environment_key}</dd>
        <dt>Changed</dt>
        <dd>
          <Ago at={flag.updated_at} />
        </dd>
      </dl>
      <Section title="Values" actions={edit("values")} lead="What your code gets for a visitor.">
        {open === "values" ? (
          <EditValues flag={flag} of={of} onDone={close} />
        ) : (
          <dl class="facts">
            <dt>On</dt>
            <dd>
              <pre class="code">{asJson(readValue(flag, "on"))}</pre>
            </dd>
            <dt>Off</dt>
            <dd>
              <pre class="code">{asJson(readValue(flag, "off"))}</pre>
            </dd>
          </dl>
        )}
      </Section>
      <Section title="Rollout" actions={edit("settings")}>
        {open === "settings" ? (
          <EditFlag flag={flag} of={of} onDone={close} />
        ) : (
          <dl class="facts">
            <dt>Visitors who get it</dt>
            <dd>{percent(flag.rollout_percentage, 0)}</dd>
            <dt>Days</dt>
            <dd>{weekdaysInWords(flag.weekday_schedule)}</dd>
            <dt>Read by</dt>
            <dd>{flag.delivery_type === "api" ? "servers only" : "pages of the shop, and servers"}</dd>
          </dl>
        )}
      </Section>
      <Section title="Where and to whom" actions={edit("targeting")}>
        {open === "targeting" ? (
          <Shown of={library}>{(known) => <EditTargeting flag={flag} of={of} library={known} onDone={close} />}</Shown>
        ) : (
          <TargetingWords value={flag.targeting} library={library.data} />
        )}
      </Section>
      {flag.delivery_type !== "api" && (
        <Section
          title="In your code"
          lead="On a page with the snippet. The second value counts until the flag is known."
        >
          <pre class="code">{codeOf(flag)}</pre>
        </Section>
      )}
      {open === "preview" && <Preview flag={flag} onClose={close} />}
    </Page>
  );
}

/** Return how a page reads the flag. */
function codeOf(flag: Flag): string {
  const off = JSON.stringify(readValue(flag, "off"));
  return `svc.ready(() => {\n  const value = svc.flag(${JSON.stringify(flag.key)}, ${off});\n});`;
}

function Bar({ flag, of, onPreview }: { flag: Flag; of: Loaded<Flag>; onPreview: () => void }) {
  const { route } = useLocation();
  if (!may("flags:write")) return null;
  const params = () => ({ ...named(flag), header: ifMatch(flag) });
  const verb = (name: "activate" | "pause" | "archive" | "unarchive", text: string) => async () =>
    of.replace(saved(await data(api.POST(`/flags/{flag_id}/${name}`, { params: params() })), text));
  const remove = async () => {
    await data(api.DELETE("/flags/{flag_id}", { params: params() }));
    saved({}, "Flag deleted");
    route(at("/flags"));
  };
  const share = percent(flag.rollout_percentage, 0);
  const where = flag.environment_key;
  const activate: Verb = {
    label: "Activate",
    tone: "primary",
    run: verb("activate", "Flag is active"),
    ask: (
      <p>
        {share} of the visitors whom its rules include get the value "on" in {where}, within minutes.
      </p>
    ),
  };
  const pause: Verb = {
    label: "Pause",
    run: verb("pause", "Flag is paused"),
    ask: <p>Every visitor in {where} gets the value "off", within minutes.</p>,
  };
  const { status } = flag;
  return (
    <>
      {status !== "archived" && flag.delivery_type === "visual" && may("previews:write") && (
        <button type="button" onClick={onPreview}>
          Preview
        </button>
      )}
      <Verbs
        verbs={[
          (status === "draft" || status === "paused") && may("flags:activate") && activate,
          status === "active" && may("flags:activate") && pause,
          status !== "archived" && {
            label: "Archive",
            run: verb("archive", "Flag is archived"),
            ask: <p>It leaves the lists, and your code gets the fallback of the call. You can bring it back.</p>,
          },
          status === "archived" && { label: "Bring back", run: verb("unarchive", "Flag is back, as it was") },
          status === "draft" && {
            label: "Delete",
            tone: "harm",
            run: remove,
            ask: <p>The flag is gone for good in {where}. Code that reads it gets its fallback.</p>,
          },
        ]}
      />
    </>
  );
}

function Preview({ flag, onClose }: { flag: Flag; onClose: () => void }) {
  const [value, setValue] = useState("on");
  return (
    <PreviewLinkDialog
      onClose={onClose}
      make={(url) =>
        data(
          api.POST("/flags/{flag_id}/preview-link", {
            params: named(flag),
            body: { url, value: value === "off" ? "off" : "on" },
          }),
        )
      }
    >
      <SelectField
        path="value"
        label="Value"
        required
        value={value}
        onChange={setValue}
        options={[
          { value: "on", label: "on" },
          { value: "off", label: "off" },
        ]}
      />
    </PreviewLinkDialog>
  );
}
