import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../../../address.ts";
import { api, data, ifMatch, type Schemas } from "../../../api/client.ts";
import { useDoing, useLoaded } from "../../../api/loading.ts";
import { Conflict } from "../../../kit/edit.tsx";
import { Form, TextField } from "../../../kit/form.tsx";
import { Waiting } from "../../../kit/state.tsx";
import { Changes, refuseUnreadable } from "../changes.tsx";
import type { Experiment, Open } from "../open.ts";
import { PreviewDialog } from "../preview.tsx";
import { editorInSteps, stepAddress } from "./steps.tsx";

type Targeting = Schemas["ExperimentTargeting"];
const MUTATIONS = "variations[1].mutations";
type Reach = "page" | "all" | "kept";

/** The second step: on which page, and what the variation changes there. */
export function ChangeStep({ open }: { open: Open }) {
  const page = useLoaded(() => likelyPage(open.experiment), [open.experiment.id]);
  if (page.data === null && !page.problem) return <Waiting />;
  return <ChangeForm open={open} likely={page.data ?? ""} />;
}

function ChangeForm({ open, likely }: { open: Open; likely: string }) {
  const { experiment, reload } = open;
  const { route } = useLocation();
  const variation = experiment.variations.find(({ is_control, archived_at }) => !is_control && !archived_at);
  const [url, setUrl] = useState(experiment.store_url ?? likely);
  const [reach, setReach] = useState<Reach>(experiment.targeting ? "kept" : experiment.store_url ? "all" : "page");
  const [mutations, setMutations] = useState(variation?.mutations ?? []);
  const [isPreviewed, setPreviewed] = useState(false);
  const doing = useDoing();
  const isChanged = JSON.stringify(mutations) !== JSON.stringify(variation?.mutations ?? []);
  const isDirty = isChanged || url !== (experiment.store_url ?? likely);

  /** One request: page, reach and changes belong together. */
  const save = async () => {
    refuseUnreadable(mutations, MUTATIONS);
    const params = { path: { experiment_id: experiment.id }, header: ifMatch(experiment) };
    const targeting = targetingOf(reach, url.trim());
    const body = {
      store_url: url.trim() || null,
      ...(targeting !== undefined && { targeting }),
      ...(isChanged && {
        variations: experiment.variations.map(({ id, mutations: before }) => ({
          id,
          mutations: id === variation?.id ? mutations : before,
        })),
      }),
    };
    await data(api.PATCH("/experiments/{experiment_id}", { params, body }));
    await reload();
  };
  const saveAndGo = (address: string) => async () => {
    await save();
    route(address);
  };
  const next = stepAddress(experiment.id, "goals");
  return (
    <>
      <Form
        doing={doing}
        submit="Next: goals"
        onSubmit={saveAndGo(next)}
        isDirty={isDirty && !doing.isBusy}
        others={
          variation && (
            <button type="button" onClick={() => void doing.run(save).then(() => setPreviewed(true))}>
              Save and preview
            </button>
          )
        }
      >
        <TextField
          path="store_url"
          label="Page"
          type="url"
          required
          value={url}
          onChange={setUrl}
          placeholder="https://"
          hint="The page of your shop that the variation changes."
        />
        <fieldset class="field">
          <legend>Where it runs</legend>
          <ReachChoice value="page" chosen={reach} onChoose={setReach}>
            On this page only
          </ReachChoice>
          <ReachChoice value="all" chosen={reach} onChoose={setReach}>
            On every page
          </ReachChoice>
          {experiment.targeting && (
            <ReachChoice value="kept" chosen={reach} onChoose={setReach}>
              As it is set under <a href={at("/experiments", experiment.id, "targeting")}>Targeting</a>
            </ReachChoice>
          )}
        </fieldset>
        {variation && (
          <>
            <div class="field">
              <p class="way">
                <button
                  type="button"
                  class="primary"
                  disabled={doing.isBusy}
                  onClick={() => void doing.run(saveAndGo(editorInSteps(experiment.id, variation.id)))}
                >
                  Open the visual editor
                </button>
                <span class="soft">Point at what should change. Or write the changes by hand:</span>
              </p>
            </div>
            <Changes path={MUTATIONS} mutations={mutations} onChange={setMutations} />
          </>
        )}
        <Conflict doing={doing} reload={reload} />
      </Form>
      {isPreviewed && variation && (
        <PreviewDialog experiment={experiment} variation={variation} onClose={() => setPreviewed(false)} />
      )}
    </>
  );
}

interface ReachProps {
  value: Reach;
  chosen: Reach;
  onChoose: (reach: Reach) => void;
  children: preact.ComponentChildren;
}

function ReachChoice({ value, chosen, onChoose, children }: ReachProps) {
  return (
    <p>
      <label>
        <input type="radio" name="reach" checked={value === chosen} onChange={() => onChoose(value)} /> {children}
      </label>
    </p>
  );
}

/** Return the targeting of a choice; undefined keeps what is stored. */
export function targetingOf(reach: Reach, url: string): Targeting | null | undefined {
  if (reach === "kept") return undefined;
  const pattern = reach === "page" ? pathOf(url) : null;
  if (!pattern) return null;
  const rule = { id: crypto.randomUUID(), includeRules: [{ type: "simple" as const, pattern }], excludeRules: [] };
  return { pageRules: [rule] };
}

/** Return the path of an address, as a page rule names it; null for any other text. */
export function pathOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).pathname : null;
}

/** Return the page that was tested last, or else the first page of the shop. */
async function likelyPage({ store_url }: Experiment): Promise<string> {
  if (store_url) return store_url;
  const [newest, shop] = await Promise.all([
    data(api.GET("/experiments", { params: { query: { limit: 10, archived: "all" } } })).catch(() => null),
    data(api.GET("/shop")).catch(() => null),
  ]);
  const tested = newest?.data.find((each) => each.store_url)?.store_url;
  return tested ?? shop?.origin ?? (shop ? `https://${shop.domain}/` : "");
}
