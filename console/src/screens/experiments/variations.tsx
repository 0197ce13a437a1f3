import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at, withQuery } from "../../address.ts";
import { api, data, ifMatch } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { Badge } from "../../kit/badge.tsx";
import { Conflict } from "../../kit/edit.tsx";
import { Form } from "../../kit/form.tsx";
import { mayLeave } from "../../kit/leave.ts";
import { Menu } from "../../kit/menu.tsx";
import { NumberField } from "../../kit/number.tsx";
import { attempt } from "../../kit/toast.tsx";
import { percent } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import { changeInWords } from "./change_words.ts";
import { type Changing, type Open, useChanging, type Variation } from "./open.ts";
import { PreviewDialog } from "./preview.tsx";
import { VariationForm } from "./variation_form.tsx";

const MOST_WORDS = 4;

/** The variations: what each does, and what can be done with it. The one that is edited by hand is in the address. */
export function Variations({ open }: { open: Open }) {
  const { url, query, route } = useLocation();
  const changing = useChanging(open);
  const { experiment } = open;
  const edited = (id: string | null) => route(withQuery(url, { variation: id }), true);
  return (
    <>
      <ul class="variations">
        {experiment.variations.map((variation) => (
          <li key={variation.id} class="card">
            <Head
              open={open}
              variation={variation}
              changing={changing}
              onEdit={() => void (mayLeave() && edited(variation.id))}
            />
            {query.variation === variation.id ? (
              <VariationForm open={open} variation={variation} onDone={() => edited(null)} />
            ) : (
              <Summary of={variation} isRedirect={experiment.delivery_type === "redirect"} />
            )}
          </li>
        ))}
      </ul>
      {changing.dialog}
    </>
  );
}

/** What a variation changes, in words. */
export function Summary({ of, isRedirect }: { of: Variation; isRedirect: boolean }) {
  const changes = of.mutations;
  const extras = [
    of.url_blocks?.length && `other changes on certain pages: ${of.url_blocks.map(({ name }) => name).join(", ")}`,
    of.custom_css && "CSS",
    of.custom_js && "JavaScript",
    isRedirect && of.redirect_url && `leads to ${of.redirect_url}`,
  ].filter(Boolean);
  if (!changes.length && !extras.length)
    return <p class="soft">{of.is_control ? "The page as it is." : "No change yet: it looks like the control."}</p>;
  return (
    <ul class="bullets">
      {changes.slice(0, MOST_WORDS).map((change, index) => (
        <li key={index}>{change.description || changeInWords(change)}</li>
      ))}
      {changes.length > MOST_WORDS && <li>and {changes.length - MOST_WORDS} more</li>}
      {extras.map((extra) => (
        <li key={String(extra)}>{extra}</li>
      ))}
    </ul>
  );
}

interface HeadProps {
  open: Open;
  variation: Variation;
  changing: Changing;
  onEdit: () => void;
}

function Head({ open, variation, changing, onEdit }: HeadProps) {
  const { experiment } = open;
  const [isPreviewed, setPreviewed] = useState(false);
  const params = { path: { experiment_id: experiment.id, variation_id: variation.id }, header: ifMatch(experiment) };
  const path = "/experiments/{experiment_id}/variations/{variation_id}";
  const make = (change: Parameters<Changing["make"]>[0]) => void attempt(() => changing.make(change));
  const { archived_at, is_control, weight } = variation;
  return (
    <div class="title">
      <h3>{variation.name}</h3>
      {is_control && variation.name !== "Control" && <Badge>Control</Badge>}
      {archived_at ? (
        <Badge>Archived</Badge>
      ) : (
        <span class="soft">{percent(weight, weight * 100 === Math.round(weight * 100) ? 0 : 1)}</span>
      )}
      <span class="spring" />
      <div class="actions">
        {may("previews:write") && (
          <button type="button" onClick={() => setPreviewed(true)}>
            Preview
          </button>
        )}
        {may("experiments:write") && !archived_at && (
          <>
            <button type="button" aria-label={`Edit ${variation.name} by hand`} onClick={onEdit}>
              By hand
            </button>
            {experiment.delivery_type === "mutation" && !is_control && (
              <a class="button" href={at("/experiments", experiment.id, "edit", variation.id)}>
                Visual editor
              </a>
            )}
          </>
        )}
        {may("experiments:write") && (
          <Menu label="⋯" name={`More for ${variation.name}`}>
            {!is_control && !archived_at && (
              <button
                type="button"
                onClick={() =>
                  make((confirmed) => data(api.PATCH(path, { params, body: { is_control: true, ...confirmed } })))
                }
              >
                Make it the control
              </button>
            )}
            {archived_at ? (
              <button
                type="button"
                onClick={() => make((confirmed) => data(api.POST(`${path}/unarchive`, { params, body: confirmed })))}
              >
                Bring back
              </button>
            ) : (
              <button
                type="button"
                onClick={() => make((confirmed) => data(api.POST(`${path}/archive`, { params, body: confirmed })))}
              >
                Archive
              </button>
            )}
            {experiment.status === "draft" && !experiment.started_at && (
              <button type="button" onClick={() => make(() => data(api.DELETE(path, { params })))}>
                Delete
              </button>
            )}
          </Menu>
        )}
      </div>
      {isPreviewed && (
        <PreviewDialog experiment={experiment} variation={variation} onClose={() => setPreviewed(false)} />
      )}
    </div>
  );
}

/** How the visitors of the experiment are split between its variations, in percent. */
export function Weights({ open }: { open: Open }) {
  const { experiment } = open;
  const used = experiment.variations.filter(({ archived_at }) => !archived_at);
  const doing = useDoing();
  const changing = useChanging(open);
  const [typed, setTyped] = useState<Record<string, number | null>>({});
  const shareOf = ({ id, weight }: Variation) => (id in typed ? typed[id] : Math.round(weight * 10_000) / 100) ?? 0;
  const total = used.reduce((sum, variation) => sum + shareOf(variation), 0);
  const isWhole = Math.abs(total - 100) < 0.005;
  const save = async () => {
    const weights = Object.fromEntries(
      used.map((variation) => [variation.id, Number((shareOf(variation) / 100).toFixed(6))]),
    );
    const params = { path: { experiment_id: experiment.id }, header: ifMatch(experiment) };
    await changing.make((confirmed) =>
      data(api.PUT("/experiments/{experiment_id}/variations/weights", { params, body: { weights, ...confirmed } })),
    );
    setTyped({});
  };
  return (
    <>
      <Form
        doing={doing}
        submit="Save the split"
        onSubmit={save}
        isDirty={Object.keys(typed).length > 0}
        others={
          <button type="button" onClick={() => setTyped(equal(used))}>
            Share equally
          </button>
        }
      >
        <div class="weights">
          {used.map((variation) => (
            <NumberField
              key={variation.id}
              path={`weights.${variation.id}`}
              label={variation.name}
              required
              unit="%"
              min={0}
              max={100}
              value={shareOf(variation)}
              onChange={(value) => setTyped({ ...typed, [variation.id]: value })}
            />
          ))}
        </div>
        {!isWhole && <p class="message">Together they are {Number(total.toFixed(2))} %; they must be 100 %.</p>}
        <Conflict doing={doing} reload={open.reload} />
        {experiment.started_at && (
          <p class="note warn">
            Another split begins a new measurement: results start from there. Visitors keep their variation.
          </p>
        )}
      </Form>
      {changing.dialog}
    </>
  );
}

function equal(used: readonly Variation[]): Record<string, number> {
  const share = Math.floor(10_000 / used.length) / 100;
  return Object.fromEntries(
    used.map(({ id }, index) => [id, index ? share : Number((100 - share * (used.length - 1)).toFixed(2))]),
  );
}
