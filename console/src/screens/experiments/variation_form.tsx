import { api, data, ifMatch } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { CodeField } from "../../kit/code_field.tsx";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { Form, LinesField, TextField } from "../../kit/form.tsx";
import { Changes, refuseUnreadable } from "./changes.tsx";
import { type Open, useChanging, type Variation } from "./open.ts";

type Block = NonNullable<Variation["url_blocks"]>[number];

interface Typed {
  name: string;
  redirect_url: string;
  mutations: Variation["mutations"];
  url_blocks: Block[];
  custom_css: string;
  custom_js: string;
}

function typedOf({ name, redirect_url, mutations, url_blocks, custom_css, custom_js }: Variation): Typed {
  return {
    name,
    redirect_url: redirect_url ?? "",
    mutations,
    url_blocks: url_blocks ?? [],
    custom_css: custom_css ?? "",
    custom_js: custom_js ?? "",
  };
}

/** Empty code and addresses are none. */
function bodyOf({ redirect_url, url_blocks, custom_css, custom_js, ...rest }: Partial<Typed>) {
  return {
    ...rest,
    ...(redirect_url !== undefined && { redirect_url: redirect_url.trim() || null }),
    ...(url_blocks !== undefined && { url_blocks: url_blocks.length ? url_blocks : null }),
    ...(custom_css !== undefined && { custom_css: custom_css || null }),
    ...(custom_js !== undefined && { custom_js: custom_js || null }),
  };
}

interface FormProps {
  open: Open;
  variation: Variation;
  onDone: () => void;
}

/** What one variation does, by hand. */
export function VariationForm({ open, variation, onDone }: FormProps) {
  const { experiment, reload } = open;
  const doing = useDoing();
  const changing = useChanging(open);
  const { draft, set, changed, isDirty, contested, reset } = useEdit<Typed>(typedOf(variation));
  const isRedirect = experiment.delivery_type === "redirect";
  const save = async () => {
    refuseUnreadable(draft.mutations);
    const params = {
      path: { experiment_id: experiment.id, variation_id: variation.id },
      header: ifMatch(experiment),
    };
    await changing.make((confirmed) =>
      data(
        api.PATCH("/experiments/{experiment_id}/variations/{variation_id}", {
          params,
          body: { ...bodyOf(changed), ...confirmed },
        }),
      ),
    );
    reset();
    onDone();
  };
  return (
    <>
      <Form
        doing={doing}
        submit="Save the variation"
        onSubmit={save}
        isDirty={isDirty}
        others={
          <button type="button" onClick={onDone}>
            Cancel
          </button>
        }
      >
        <TextField path="name" label="Name" required value={draft.name} onChange={(name) => set({ name })} />
        {isRedirect && !variation.is_control && (
          <TextField
            path="redirect_url"
            label="Leads to"
            type="url"
            value={draft.redirect_url}
            onChange={(redirect_url) => set({ redirect_url })}
            hint="Visitors of this variation get this page instead."
          />
        )}
        <Changes mutations={draft.mutations} onChange={(mutations) => set({ mutations })} />
        <Blocks blocks={draft.url_blocks} onChange={(url_blocks) => set({ url_blocks })} />
        <details open={Boolean(draft.custom_css || draft.custom_js)}>
          <summary>CSS and JavaScript</summary>
          <Code path="custom_css" label="CSS" value={draft.custom_css} onChange={(custom_css) => set({ custom_css })} />
          <Code
            path="custom_js"
            label="JavaScript"
            value={draft.custom_js}
            onChange={(custom_js) => set({ custom_js })}
            hint="The body of a function. It runs once the page is parsed."
          />
        </details>
        <Conflict doing={doing} contested={contested} reload={reload} />
      </Form>
      {changing.dialog}
    </>
  );
}

interface CodeProps {
  path: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint?: string;
}

/** A script or a style sheet: its path has the language. */
export function Code(props: CodeProps) {
  return <CodeField {...props} language={props.path.endsWith("css") ? "css" : "javascript"} rows={8} />;
}

/** Changes for certain addresses: they replace the variation's own there. */
function Blocks({ blocks, onChange }: { blocks: Block[]; onChange: (blocks: Block[]) => void }) {
  const change = (index: number, part: Partial<Block>) =>
    onChange(blocks.map((block, place) => (place === index ? { ...block, ...part } : block)));
  return (
    <>
      {blocks.map((block, index) => (
        <details key={block.id} open class="card">
          <summary>
            <strong>Only on certain pages: {block.name || "without a name"}</strong>
          </summary>
          <TextField
            path={`url_blocks[${index}].name`}
            label="Name"
            required
            value={block.name}
            onChange={(name) => change(index, { name })}
          />
          <LinesField
            path={`url_blocks[${index}].urlRules`}
            label="Addresses"
            hint="One a line; * stands for anything. Here these changes replace those above."
            value={block.urlRules.filter(({ type }) => type === "simple").map(({ pattern }) => pattern)}
            onChange={(patterns) =>
              change(index, {
                urlRules: [
                  ...patterns.map((pattern) => ({ type: "simple" as const, pattern })),
                  ...block.urlRules.filter(({ type }) => type === "regex"),
                ],
              })
            }
          />
          <Changes
            path={`url_blocks[${index}].mutations`}
            mutations={block.mutations}
            onChange={(mutations) => change(index, { mutations })}
          />
          <p class="tools">
            <button type="button" class="quiet" onClick={() => onChange(blocks.toSpliced(index, 1))}>
              Remove these pages
            </button>
          </p>
        </details>
      ))}
      <p class="tools">
        <button
          type="button"
          class="quiet"
          onClick={() => onChange([...blocks, { id: crypto.randomUUID(), name: "", urlRules: [], mutations: [] }])}
        >
          Other changes on certain pages
        </button>
      </p>
    </>
  );
}
