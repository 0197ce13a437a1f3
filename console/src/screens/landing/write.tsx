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
import { shop } from "../../session/session.ts";
import { BlockFields } from "./block_fields.tsx";
import {
  type Content,
  chosen,
  contentOf,
  newBlock,
  partOf,
  put,
  type ShopFacts,
  shownPaths,
  wordsOf,
} from "./content.ts";
import { FileField } from "./file_fields.tsx";
import { LandingFrame } from "./frame.tsx";
import { FOOTER } from "./grammar.ts";
import { LookFields } from "./look_fields.tsx";
import type { Value } from "./part.ts";
import { ANCHORS, PartFields } from "./part_fields.tsx";
import { PREVIEW, Preview } from "./preview.tsx";
import { LANGUAGES, type LandingPage, type Version } from "./words.ts";

type Seo = Schemas["SeoManifestInput"];

/** The next version of a page: its blocks, its look, its footer, the same as JSON, and what search engines show. */
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

/** Return what a page begins with: its links lead to itself, so it passes the checks as it is. */
function first(facts: ShopFacts): Value {
  const top = { ...newBlock("hero", [], facts), id: "top", links: [{ label: "See it", href: "#top" }] };
  return { format: 1, lang: "en", blocks: [top, newBlock("text", [top], facts)] };
}

/** Enter in a field would write a version, which stays for good. */
function keepWriting(event: KeyboardEvent): void {
  if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
}

function WriteForm({ page, from }: { page: LandingPage; from: Version | null }) {
  const facts = { host: page.publish_host ?? "shop.example", currency: shop.value?.currency ?? "EUR" };
  const manifest = (from?.seo_manifest ?? {}) as Partial<Seo>;
  const [spec, setSpec] = useState(() => asJson(from?.spec ?? first(facts)));
  const [seo, setSeo] = useState<Partial<Seo>>({ ...manifest, title: manifest.title ?? page.name });
  const [brief, setBrief] = useState(from?.brief_id ?? "");
  const [isTouched, setTouched] = useState(false);
  const [isAdvanced, setAdvanced] = useState(false);
  const [looked, setLooked] = useState("");
  const doing = useDoing();
  const { route } = useLocation();
  const briefs = useLoaded(() => data(api.GET("/content-briefs", { params: { query: { limit: 100 } } })), []);
  const content = contentOf(spec);
  const [lang, languages] = chosen(LANGUAGES, content?.lang);
  const change = (after: Content | Value) => {
    setTouched(true);
    setSpec(asJson(after));
  };
  const write = async () => {
    const body = {
      spec: readJson("spec", spec) as Schemas["PageSpecInput"],
      seo_manifest: seo as Seo,
      ...(brief && { brief_id: brief }),
    };
    const params = { path: { landing_page_id: page.id } };
    const version = await data(api.POST("/landing-pages/{landing_page_id}/versions", { params, body }));
    setTouched(false);
    saved(version, `Version ${version.version_number} is written`);
    route(at("/landing-pages", page.id));
  };
  const known = shownPaths(content);
  const isInJsonOnly = (doing.problem?.fields ?? []).some(
    ({ path }) => path.startsWith("spec") && !known.has(path.replaceAll(/\[(\w+)\]/g, ".$1")),
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears what is typed in the fields inside
    <div class="writing" onInput={() => setTouched(true)} onKeyDown={keepWriting}>
      <Form
        doing={doing}
        submit="Write the version"
        onSubmit={write}
        isDirty={isTouched}
        others={
          <>
            <a class="button" href={at("/landing-pages", page.id)}>
              Cancel
            </a>
            <button type="button" class="to-preview" onClick={() => document.getElementById(PREVIEW)?.scrollIntoView()}>
              See it
            </button>
          </>
        }
      >
        {from && <p class="soft">It begins with the content of version {from.version_number}, which stays as it is.</p>}
        {content ? (
          <>
            <BlockFields content={content} problem={doing.problem} shop={facts} onChange={change} onLook={setLooked} />
            <datalist id={ANCHORS}>
              {content.blocks.map((block) => (
                <option key={block.id} value={`#${block.id}`}>
                  {wordsOf(block)}
                </option>
              ))}
            </datalist>
            <details class="page-part">
              <summary>
                <strong>Footer</strong>{" "}
                <span class="soft">The end of the page: a text and links, such as the imprint.</span>
              </summary>
              <PartFields
                fields={FOOTER}
                part={partOf(content.footer)}
                path="spec.footer"
                onChange={(footer) =>
                  change(put(content, { name: "footer" }, Object.keys(footer).length ? footer : null))
                }
              />
            </details>
            <details class="page-part">
              <summary>
                <strong>Look</strong> <span class="soft">Colours, font and sizes of the whole page.</span>
              </summary>
              <LookFields
                theme={partOf(content.theme)}
                onChange={(theme) => change(put(content, { name: "theme" }, theme))}
              />
            </details>
          </>
        ) : (
          <p class="note warn">The JSON below cannot be read at the moment, so the fields are not shown.</p>
        )}
        <details class="page-part" open>
          <summary>
            <strong>Search engines and links</strong> <span class="soft">What they show of the page.</span>
          </summary>
          <SeoFields
            seo={seo}
            onChange={(after) => {
              setTouched(true);
              setSeo(after);
            }}
          />
          {content && (
            <SelectField
              path="spec.lang"
              label="Language of the page"
              required
              value={lang}
              onChange={(tag) => change({ ...content, lang: tag })}
              options={languages}
            />
          )}
          <Shown of={briefs}>
            {({ data: listed }) =>
              listed.length > 0 && (
                <SelectField
                  path="brief_id"
                  label="Brief"
                  value={brief}
                  onChange={setBrief}
                  options={[
                    { value: "", label: "None" },
                    ...listed.map(({ id, angle }) => ({ value: id, label: angle })),
                  ]}
                />
              )
            }
          </Shown>
        </details>
        <details
          class="page-part"
          open={isAdvanced || isInJsonOnly || !content}
          onToggle={(event) => setAdvanced(event.currentTarget.open)}
        >
          <summary>
            <strong>Advanced</strong> <span class="soft">The same content as JSON.</span>
          </summary>
          <DocumentField
            path="spec"
            label="Content"
            hint="Theme, up to sixty blocks and a footer. What the fields do not know stays as you write it here."
            value={spec}
            onChange={setSpec}
            problem={doing.problem}
          />
        </details>
      </Form>
      <Preview pageId={page.id} content={content} seo={seo} at={looked} />
    </div>
  );
}

const ROBOTS = [
  { value: "", label: "Show it, and follow its links" },
  { value: "noindex,follow", label: "Do not show it" },
  { value: "index,nofollow", label: "Show it, but do not follow its links" },
  { value: "noindex,nofollow", label: "Neither" },
];

function SeoFields({ seo, onChange }: { seo: Partial<Seo>; onChange: (seo: Partial<Seo>) => void }) {
  const set = (name: keyof Seo) => (value: string | undefined) =>
    onChange(put(seo, { name, isRequired: name === "title" }, value) as Partial<Seo>);
  return (
    <>
      <TextField
        path="seo_manifest.title"
        label="Title"
        required
        maxLength={70}
        value={seo.title ?? ""}
        onChange={set("title")}
      />
      <TextField
        path="seo_manifest.description"
        label="Description"
        rows={2}
        hint="50 to 160 characters are shown by search engines."
        value={seo.description ?? ""}
        onChange={set("description")}
      />
      <FileField
        path="seo_manifest.og_image_asset_id"
        label="Picture for messengers and networks"
        kind="picture"
        value={seo.og_image_asset_id}
        onChange={set("og_image_asset_id")}
      />
      <SelectField
        path="seo_manifest.robots"
        label="May search engines show it?"
        required
        value={seo.robots === "index,follow" ? "" : (seo.robots ?? "")}
        onChange={set("robots")}
        options={ROBOTS}
      />
    </>
  );
}
