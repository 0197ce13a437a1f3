import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useDoing, useLoaded } from "../../api/loading.ts";
import { SelectField } from "../../kit/choices.tsx";
import { DocumentField } from "../../kit/document.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { asJson, readJson } from "../../kit/json.tsx";
import { saved } from "../../kit/saved.ts";
import { Shown } from "../../kit/state.tsx";
import { BlockFields } from "./block_fields.tsx";
import { blocksOf, newBlock } from "./blocks.ts";
import { LandingFrame } from "./frame.tsx";
import type { LandingPage, Version } from "./words.ts";

/** What a page begins with: its links lead to itself, so it passes the checks as it is. */
const FIRST = {
  format: 1,
  lang: "en",
  blocks: [{ ...newBlock("hero", []), id: "top" }, newBlock("text", [])],
};

/** The next version of a page: its blocks, the same as JSON, and what search engines show. */
export default function Write() {
  const { query } = useRoute();
  return (
    <LandingFrame current="versions">
      {(page) => {
        const from = page.versions.find(({ version_number }) => String(version_number) === query.from);
        return <WriteForm key={query.from ?? "current"} page={page} from={from ?? page.current_version} />;
      }}
    </LandingFrame>
  );
}

function WriteForm({ page, from }: { page: LandingPage; from: Version | null }) {
  const manifest = (from?.seo_manifest ?? {}) as Partial<Schemas["SeoManifestInput"]>;
  const [spec, setSpec] = useState(asJson(from?.spec ?? FIRST));
  const [seo, setSeo] = useState({ title: manifest.title ?? page.name, description: manifest.description ?? "" });
  const [brief, setBrief] = useState(from?.brief_id ?? "");
  const [isTouched, setTouched] = useState(false);
  const doing = useDoing();
  const { route } = useLocation();
  const briefs = useLoaded(() => data(api.GET("/content-briefs", { params: { query: { limit: 100 } } })), []);
  const write = async () => {
    const { title, description } = seo;
    const body = {
      spec: readJson("spec", spec) as Schemas["PageSpecInput"],
      seo_manifest: { ...manifest, title, description: description || undefined },
      ...(brief && { brief_id: brief }),
    };
    const params = { path: { landing_page_id: page.id } };
    const version = await data(api.POST("/landing-pages/{landing_page_id}/versions", { params, body }));
    setTouched(false);
    saved(version, `Version ${version.version_number} is written`);
    route(at("/landing-pages", page.id));
  };
  return (
    <div class="writing" onInput={() => setTouched(true)}>
      <Form
        doing={doing}
        submit="Write the version"
        onSubmit={write}
        isDirty={isTouched}
        others={
          <a class="button" href={at("/landing-pages", page.id)}>
            Cancel
          </a>
        }
      >
        {from && <p class="soft">It begins with the content of version {from.version_number}, which stays as it is.</p>}
        <TextField
          path="seo_manifest.title"
          label="Title"
          required
          maxLength={70}
          value={seo.title}
          onChange={(title) => setSeo({ ...seo, title })}
        />
        <TextField
          path="seo_manifest.description"
          label="Description"
          rows={2}
          hint="50 to 160 characters are shown by search engines."
          value={seo.description}
          onChange={(description) => setSeo({ ...seo, description })}
        />
        <Shown of={briefs}>
          {({ data: known }) =>
            known.length > 0 && (
              <SelectField
                path="brief_id"
                label="Brief"
                value={brief}
                onChange={setBrief}
                options={[{ value: "", label: "None" }, ...known.map(({ id, angle }) => ({ value: id, label: angle }))]}
              />
            )
          }
        </Shown>
        <BlockFields
          value={spec}
          onChange={(text) => {
            setTouched(true);
            setSpec(text);
          }}
        />
        <details open={(doing.problem?.fields ?? []).some(({ path }) => path.startsWith("spec")) || !blocksOf(spec)}>
          <summary>The same as JSON, also with colours, pictures and the footer</summary>
          <DocumentField
            path="spec"
            label="Content"
            hint="Theme, up to sixty blocks and a footer. Blocks: hero, text, image, video, features, steps, product, comparison, testimonials, stats, faq, cta, form."
            value={spec}
            onChange={setSpec}
            problem={doing.problem}
          />
        </details>
      </Form>
    </div>
  );
}
