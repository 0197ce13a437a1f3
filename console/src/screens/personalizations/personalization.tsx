import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, ifMatch } from "../../api/client.ts";
import { type Loaded, useLoaded } from "../../api/loading.ts";
import { Status } from "../../kit/badge.tsx";
import { SelectField } from "../../kit/choices.tsx";
import { EditButton } from "../../kit/edit_button.tsx";
import { Page, Section, Tabs } from "../../kit/page.tsx";
import { PreviewLinkDialog } from "../../kit/preview_link.tsx";
import { TargetingWords, useLibrary } from "../../kit/rules/targeting.tsx";
import { saved } from "../../kit/saved.ts";
import { Shown } from "../../kit/state.tsx";
import { Ago, percent } from "../../kit/values.tsx";
import { Verbs } from "../../kit/verbs.tsx";
import { may } from "../../session/session.ts";
import { Experiences } from "./experiences.tsx";
import { Rules } from "./rules.tsx";
import { DELIVERIES, EditSettings, EditTargeting, type Personalization } from "./settings.tsx";

/** One personalization. */
export default function PersonalizationScreen() {
  const personalization_id = useRoute().params.personalization_id ?? "";
  const item = useLoaded(
    () => data(api.GET("/personalizations/{personalization_id}", { params: { path: { personalization_id } } })),
    [personalization_id],
  );
  return <Shown of={item}>{(read) => <Filled item={read} of={item} />}</Shown>;
}

/** Design and results of a personalization, as tabs. */
export function PersonalizationTabs({ id, current }: { id: string; current: "design" | "results" }) {
  const design = at("/personalizations", id);
  const tabs = [
    { title: "Design", address: design },
    { title: "Results", address: `${design}/results` },
  ];
  return <Tabs tabs={tabs} label="Personalization" current={current === "design" ? design : `${design}/results`} />;
}

function Filled({ item, of }: { item: Personalization; of: Loaded<Personalization> }) {
  const [open, setOpen] = useState<"settings" | "targeting" | "preview" | null>(null);
  const library = useLibrary();
  const canWrite = may("personalizations:write") && item.status !== "archived";
  const close = () => setOpen(null);
  const edit = (part: "settings" | "targeting") =>
    canWrite && <EditButton isOpen={open === part} onToggle={() => setOpen(open === part ? null : part)} />;
  return (
    <Page
      title={item.name}
      above={<a href={at("/personalizations")}>Personalizations</a>}
      beside={<Status status={item.status} />}
      lead={item.description}
      actions={<Bar item={item} of={of} onPreview={() => setOpen("preview")} />}
    >
      <PersonalizationTabs id={item.id} current="design" />
      <Section title="Settings" actions={edit("settings")}>
        {open === "settings" ? (
          <EditSettings item={item} of={of} onDone={close} />
        ) : (
          <dl class="facts">
            <dt>Key</dt>
            <dd>
              <code>{item.key}</code>
            </dd>
            <dt>Environment, place</dt>
            <dd>
              {item.environment_key}, {item.surface}
            </dd>
            <dt>Delivers</dt>
            <dd>{DELIVERIES.find(({ value }) => value === item.delivery_type)?.label}</dd>
            <dt>Visitors</dt>
            <dd>{percent(item.rollout_percentage, 0)} of those whom the rules include</dd>
            <dt>Goals</dt>
            <dd>{item.personalization_goals.map(({ name }) => name).join(", ") || "none: nothing is measured"}</dd>
            <dt>Changed</dt>
            <dd>
              <Ago at={item.updated_at} />
            </dd>
          </dl>
        )}
      </Section>
      <Section title="Where and to whom" actions={edit("targeting")}>
        {open === "targeting" ? (
          <Shown of={library}>{(known) => <EditTargeting item={item} of={of} library={known} onDone={close} />}</Shown>
        ) : (
          <TargetingWords value={item.targeting} library={library.data} />
        )}
      </Section>
      <Experiences item={item} of={of} canWrite={canWrite} />
      <Rules item={item} of={of} library={library} canWrite={canWrite} />
      {open === "preview" && <Preview item={item} onClose={close} />}
    </Page>
  );
}

function Bar({ item, of, onPreview }: { item: Personalization; of: Loaded<Personalization>; onPreview: () => void }) {
  const { route } = useLocation();
  const { status } = item;
  const params = { path: { personalization_id: item.id }, header: ifMatch(item) };
  const verb = (name: "activate" | "pause" | "archive" | "unarchive", text: string) => async () =>
    of.replace(saved(await data(api.POST(`/personalizations/{personalization_id}/${name}`, { params })), text));
  const copy = async () => {
    const path = { personalization_id: item.id };
    const made = await data(
      api.POST("/personalizations/{personalization_id}/duplicate", { params: { path }, body: {} }),
    );
    saved(made, "A copy is made, as a draft");
    route(at("/personalizations", made.id));
  };
  const remove = async () => {
    await data(api.DELETE("/personalizations/{personalization_id}", { params }));
    saved({}, "Personalization deleted");
    route(at("/personalizations"));
  };
  const canActivate = may("personalizations:activate");
  const canWrite = may("personalizations:write");
  return (
    <>
      {status !== "archived" && item.delivery_type === "visual" && may("previews:write") && (
        <button type="button" onClick={onPreview}>
          Preview
        </button>
      )}
      <Verbs
        verbs={[
          (status === "draft" || status === "paused") &&
            canActivate && {
              label: "Activate",
              tone: "primary",
              run: verb("activate", "Personalization is active"),
              ask: <p>Visitors whom its rules include see it within minutes.</p>,
            },
          status === "active" &&
            canActivate && {
              label: "Pause",
              run: verb("pause", "Personalization is paused"),
              ask: <p>Visitors see the page without it, within minutes.</p>,
            },
          canWrite && { label: "Duplicate", run: copy },
          canWrite &&
            status !== "archived" && {
              label: "Archive",
              run: verb("archive", "Personalization is archived"),
              ask: <p>Nobody sees it any more, and it leaves the list. You can bring it back.</p>,
            },
          canWrite && status === "archived" && { label: "Bring back", run: verb("unarchive", "It is back, as it was") },
          canWrite &&
            status === "draft" && {
              label: "Delete",
              tone: "harm",
              run: remove,
              ask: <p>The personalization with its experiences is gone for good.</p>,
            },
        ]}
      />
    </>
  );
}

function Preview({ item, onClose }: { item: Personalization; onClose: () => void }) {
  const [experience, setExperience] = useState(item.experiences[0]?.key ?? "");
  return (
    <PreviewLinkDialog
      onClose={onClose}
      make={(url) =>
        data(
          api.POST("/personalizations/{personalization_id}/preview-link", {
            params: { path: { personalization_id: item.id } },
            body: { url, experience: experience || null },
          }),
        )
      }
    >
      <SelectField
        path="experience"
        label="Experience"
        required
        value={experience}
        onChange={setExperience}
        options={item.experiences.map(({ key, name }) => ({ value: key, label: name }))}
      />
    </PreviewLinkDialog>
  );
}
