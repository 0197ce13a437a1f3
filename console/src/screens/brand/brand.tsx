import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { type Loaded, useDoing, useLoaded } from "../../api/loading.ts";
import { Badge } from "../../kit/badge.tsx";
import { ManyField, SelectField } from "../../kit/choices.tsx";
import { Copied } from "../../kit/copy.tsx";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { Form, LinesField, TextField } from "../../kit/form.tsx";
import { Page, Section } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { Shown } from "../../kit/state.tsx";
import { Table } from "../../kit/table.tsx";
import { may } from "../../session/session.ts";

type Brand = Schemas["BrandContext"];

const MODES = [
  { value: "off", label: "Check nothing" },
  { value: "balanced", label: "Warn" },
  { value: "strict", label: "Stop a page from being published" },
];

/** How the shop speaks. */
export default function BrandScreen() {
  const brand = useLoaded(() => data(api.GET("/brand-context")), []);
  return (
    <Shown of={brand}>
      {(read) => (
        <Page
          title="Brand"
          beside={<Badge tone={read.status === "complete" ? "good" : "plain"}>{read.status}</Badge>}
          lead="How the shop speaks: for people and programs that write for it, and for the checks of landing pages."
        >
          <Edit brand={read} of={brand} />
          <Files brand={read} of={brand} />
          {read.promptBlock && (
            <Section title="As one text" lead="Paste it before you ask a program to write for the shop.">
              <Copied text={read.promptBlock} />
            </Section>
          )}
        </Page>
      )}
    </Shown>
  );
}

type Props = { brand: Brand; of: Loaded<Brand> };

function Edit({ brand, of }: Props) {
  const { mode, summary, clientNotes, guidelinesText, guardrails, proofRequirements, voice } = brand;
  const edit = useEdit({ mode, summary, clientNotes, guidelinesText, guardrails, proofRequirements, voice });
  const doing = useDoing();
  const canWrite = may("brand:write");
  const { draft: value, on: set } = edit;
  const setVoice = (changed: Partial<Brand["voice"]>) => set("voice")({ ...value.voice, ...changed });
  const save = async () => {
    of.replace(
      saved(await data(api.PUT("/brand-context", { params: { header: ifMatch(brand) }, body: edit.changed }))),
    );
    edit.reset();
  };
  return (
    <Form doing={doing} submit={canWrite ? "Save" : undefined} onSubmit={save} isDirty={edit.isDirty}>
      <fieldset class="form" disabled={!canWrite}>
        <TextField
          path="summary"
          label="What the shop is"
          rows={4}
          hint="Whom it sells what, and why they buy it here."
          value={value.summary}
          onChange={set("summary")}
        />
        <LinesField
          path="voice.adjectives"
          label="It sounds, one word a line"
          rows={3}
          value={value.voice.adjectives}
          onChange={(adjectives) => setVoice({ adjectives })}
        />
        <LinesField
          path="voice.weAlways"
          label="We always, one a line"
          value={value.voice.weAlways}
          onChange={(weAlways) => setVoice({ weAlways })}
        />
        <LinesField
          path="voice.weNever"
          label="We never, one a line"
          value={value.voice.weNever}
          onChange={(weNever) => setVoice({ weNever })}
        />
        <LinesField
          path="voice.bannedPhrases"
          label="Banned phrases, one a line"
          hint="Compared as whole words, whatever their case and accents."
          value={value.voice.bannedPhrases}
          onChange={(bannedPhrases) => setVoice({ bannedPhrases })}
        />
        <TextField
          path="voice.ctaStyle"
          label="How buttons speak"
          rows={2}
          value={value.voice.ctaStyle}
          onChange={(ctaStyle) => setVoice({ ctaStyle })}
        />
        <LinesField path="guardrails" label="Rules, one a line" value={value.guardrails} onChange={set("guardrails")} />
        <LinesField
          path="proofRequirements"
          label="What needs proof, one a line"
          value={value.proofRequirements}
          onChange={set("proofRequirements")}
        />
        <TextField
          path="guidelinesText"
          label="Guidelines"
          rows={5}
          value={value.guidelinesText}
          onChange={set("guidelinesText")}
        />
        <TextField path="clientNotes" label="Notes" rows={3} value={value.clientNotes} onChange={set("clientNotes")} />
        <SelectField
          path="mode"
          label="When a landing page has a banned phrase or a claim without proof"
          required
          value={value.mode}
          options={MODES}
          onChange={(typed) => set("mode")(typed as Brand["mode"])}
        />
      </fieldset>
      <Conflict doing={doing} contested={edit.contested} reload={of.reload} />
    </Form>
  );
}

/** Documents whose text is part of the context. The list of the API has names only, so a choice replaces all of them. */
function Files({ brand, of }: Props) {
  const doing = useDoing();
  const edit = useEdit<{ asset_ids: string[] }>({ asset_ids: [] });
  const query = { limit: 100, mime_type: "application/pdf" };
  const canChoose = may("brand:write") && may("assets:read");
  const documents = useLoaded(
    async () => (canChoose ? (await data(api.GET("/assets", { params: { query } }))).data : []),
    [canChoose],
  );
  const choose = async () => {
    const params = { header: ifMatch(brand) };
    of.replace(saved(await data(api.PUT("/brand-context", { params, body: edit.draft }))));
    edit.reset();
  };
  return (
    <Section title="Documents" lead="PDF files of the shop whose text belongs to the context.">
      {brand.clientAssetExcerpts.length > 0 && (
        <Table
          caption="Documents"
          rows={brand.clientAssetExcerpts}
          keyOf={(row) => row.name}
          columns={[
            { title: "File", isName: true, cell: (row) => row.name },
            { title: "How it begins", cell: (row) => <span class="excerpt">{row.excerpt}</span> },
          ]}
        />
      )}
      {canChoose && (
        <Shown of={documents}>
          {(known) =>
            known.length ? (
              <Form doing={doing} submit="Use these" onSubmit={choose} isDirty={edit.isDirty}>
                <ManyField
                  path="asset_ids"
                  label="Choose the documents"
                  hint="They replace those above."
                  value={edit.draft.asset_ids}
                  onChange={edit.on("asset_ids")}
                  options={known.map(({ id, name }) => ({ value: id, label: name }))}
                />
                <Conflict doing={doing} contested={edit.contested} reload={of.reload} />
              </Form>
            ) : (
              <p class="soft">Upload a PDF file first, under "Files and pictures".</p>
            )
          }
        </Shown>
      )}
    </Section>
  );
}
