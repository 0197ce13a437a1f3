import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../address.ts";
import { api, data, ifMatch, type Schemas } from "../api/client.ts";
import { useDoing } from "../api/loading.ts";
import { Badge } from "../kit/badge.tsx";
import { mayLeave, useLeaveWarning } from "../kit/leave.ts";
import { notify } from "../kit/toast.tsx";
import { stepAddress } from "../screens/experiments/new/steps.tsx";
import { may } from "../session/session.ts";
import { Blocks } from "./blocks.tsx";
import { ChangeList } from "./change_list.tsx";
import { type Moving, type Mutation, placed, taken, withChange } from "./changes.ts";
import { Conflict } from "./conflict.tsx";
import { useCounts } from "./counting.ts";
import { type Part, partsOf, updateOf } from "./draft.ts";
import { ElementPanel } from "./element_panel.tsx";
import { begun, done, redone, undone } from "./history.ts";
import { useKeys } from "./keys.ts";
import { useLive } from "./live.ts";
import { MAX_COPY } from "./messages.ts";
import { MovePanel } from "./move_panel.tsx";
import { useEditedPage } from "./page.ts";
import { Stage, usePreview, type Way } from "./stage.tsx";
import { Clicks, WIDEST, Widths } from "./switches.tsx";

type Experiment = Schemas["Experiment"];
type Variation = Schemas["Variation"];

/** Statuses in which a variation is history; the editor then only shows it. */
const ENDED = new Set(["completed"]);
interface WorkbenchProps {
  experiment: Experiment;
  variation: Variation;
  address: string;
  /** Hosts of the shop. */
  hosts: readonly string[];
}

export function Workbench({ experiment, variation: opened, address, hosts }: WorkbenchProps) {
  const { query, route } = useLocation();
  const isInSteps = query.steps !== undefined;
  const [variation, setVariation] = useState(opened);
  const [history, setHistory] = useState(() => begun<readonly Part[]>(partsOf(opened)));
  const [saved, setSaved] = useState<readonly Part[]>(history.present);
  const [tab, setTab] = useState(0);
  const [width, setWidth] = useState(WIDEST);
  const [picks, setPicks] = useState(true);
  const [isOriginal, setOriginal] = useState(false);
  const [off, setOff] = useState<ReadonlySet<Mutation>>(new Set());
  const [asides, setAsides] = useState<readonly string[]>([]);
  const saving = useDoing();
  const nonce = useMemo(() => crypto.randomUUID(), []);
  const [way, setWay] = useState<Way>("here");
  const preview = usePreview(address, way === "here");
  const live = useLive(nonce, address, hosts);
  const isReadOnly = ENDED.has(experiment.status) || experiment.archived_at !== null || !may("experiments:write");

  const parts = history.present;
  const part = parts[tab] ?? (parts[0] as Part);
  const [moving, setMoving] = useState<Moving | null>(null);
  const shown = useMemo(() => {
    const mutations = moving ? taken(part.mutations, moving) : part.mutations;
    return { mutations: mutations.filter((each) => !off.has(each)), css: part.css };
  }, [part, off, moving]);
  const page = useEditedPage(way === "here" ? preview.peer : live.peer, nonce, shown, isOriginal, picks);
  const open = way === "here" ? preview.open : live.open;
  const counts = useCounts(page, open, experiment.targeting ?? null, parts, part);
  const hereOf = (selector: string) => page.matches[shown.mutations.findIndex((each) => each.selector === selector)];
  const go = (next: Way) => {
    if (next === way) return;
    if (next === "window") live.open(page.url || preview.address);
    else {
      preview.open(page.url || live.address);
      live.close();
    }
    setWay(next);
  };
  const isDirty = parts !== saved;
  useLeaveWarning(isDirty);

  const last = useRef("");
  const change = useCallback(
    (next: Partial<Part>, kind = "") => {
      setHistory((before) => {
        const at = tab < before.present.length ? tab : 0;
        const present = before.present.with(at, { ...(before.present[at] as Part), ...next });
        return done(before, present, kind !== "" && kind === last.current);
      });
      last.current = kind;
    },
    [tab],
  );
  const put = useCallback(
    (mutation: Mutation) =>
      change({ mutations: withChange(part.mutations, mutation) }, `${mutation.selector} ${mutation.action}`),
    [part, change],
  );

  const take = async (selector: string) => {
    const html = await page.copy();
    if (html.length > MAX_COPY) return notify("It is too large to be moved. Choose something smaller.", "bad");
    setMoving({ selector, html });
    page.forget();
  };

  const save = useCallback(
    async (over: Variation = variation) => {
      const path = { experiment_id: experiment.id, variation_id: variation.id };
      const body = updateOf(parts);
      const written = await data(
        api.PATCH("/experiments/{experiment_id}/variations/{variation_id}", {
          params: { path, header: ifMatch(over) ?? {} },
          body,
        }),
      );
      setVariation(written);
      setSaved(parts);
      notify(written.publication_warning ? "Saved, not yet published: it will be tried again." : "Saved.");
    },
    [experiment, variation, parts],
  );

  useKeys({
    z: () => setHistory(undone),
    y: () => setHistory(redone),
    s: () => isDirty && !isReadOnly && void saving.run(save),
  });
  const sendAsides = page.send;
  useEffect(() => {
    if (page.state === "ready") sendAsides("aside", { selectors: asides });
  }, [page.state, asides, sendAsides]);

  return (
    <div class="editor">
      <header class="editor-bar">
        <a class="button" href={isInSteps ? stepAddress(experiment.id, "change") : at("/experiments", experiment.id)}>
          Back
        </a>
        <h1>{experiment.name}</h1>
        <select
          aria-label="Variation"
          value={variation.id}
          onChange={({ currentTarget }) => {
            if (mayLeave()) route(at("/experiments", experiment.id, "edit", currentTarget.value));
            else currentTarget.value = variation.id;
          }}
        >
          {experiment.variations.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        {isReadOnly && <Badge>read only</Badge>}
        <span class="spring" />
        <Clicks picks={picks} onChange={setPicks} />
        {way === "here" && <Widths width={width} onChange={setWidth} />}
        <button type="button" aria-pressed={isOriginal} onClick={() => setOriginal(!isOriginal)}>
          Original
        </button>
        <button
          type="button"
          aria-label="Undo"
          title="Undo"
          disabled={!history.past.length}
          onClick={() => setHistory(undone)}
        >
          ↶
        </button>
        <button
          type="button"
          aria-label="Redo"
          title="Redo"
          disabled={!history.future.length}
          onClick={() => setHistory(redone)}
        >
          ↷
        </button>
        {isInSteps ? (
          <button
            type="button"
            class="primary"
            disabled={saving.isBusy}
            onClick={() =>
              void saving.run(async () => {
                if (isDirty) await save();
                route(stepAddress(experiment.id, "goals"));
              })
            }
          >
            Next: goals
          </button>
        ) : (
          <button
            type="button"
            class="primary"
            disabled={!isDirty || isReadOnly || saving.isBusy}
            onClick={() => void saving.run(() => save())}
          >
            {isDirty || isReadOnly ? "Save" : "Saved"}
          </button>
        )}
      </header>
      <Conflict
        saving={saving}
        path={{ experiment_id: experiment.id, variation_id: variation.id }}
        onMine={(theirs) => void saving.run(() => save(theirs))}
        onTheirs={(theirs) => {
          const loaded = partsOf(theirs);
          setVariation(theirs);
          setHistory(begun<readonly Part[]>(loaded));
          setSaved(loaded);
          saving.forget();
        }}
      />
      <Stage preview={preview} live={live} way={way} onWay={go} page={page} width={width} />
      <aside class="editor-panel" aria-label="Changes">
        {!moving && (
          <Blocks
            parts={parts}
            tab={tab < parts.length ? tab : 0}
            url={page.url || address}
            isReadOnly={isReadOnly}
            isBrief={page.element !== null}
            onTab={(next) => {
              setTab(next);
              page.forget();
            }}
            onParts={(present, next) => {
              setHistory((before) =>
                done(before, present, last.current === "pages" && present.length === parts.length),
              );
              last.current = "pages";
              setTab(next);
            }}
          />
        )}
        {moving ? (
          <MovePanel
            selector={moving.selector}
            target={page.element}
            onPlace={(target, action) => {
              change({ mutations: placed(part.mutations, moving, target, action) });
              setMoving(null);
              page.forget();
            }}
            onWalk={(to) => page.send("walk", { to })}
            onCancel={() => {
              setMoving(null);
              page.forget();
            }}
          />
        ) : page.element && !isReadOnly ? (
          <ElementPanel
            key={page.element.selectors[0]?.selector}
            element={page.element}
            mutations={part.mutations}
            counts={counts}
            url={page.url || address}
            hereOf={hereOf}
            onPut={put}
            onRemove={(mutations) => change({ mutations })}
            onClimb={(levels) => page.send("climb", { levels })}
            onWalk={(to) => page.send("walk", { to })}
            onMove={(selector) => void take(selector)}
            onAside={(selector) => {
              setAsides([...asides, selector]);
              page.forget();
            }}
            onClose={page.forget}
          />
        ) : (
          <ChangeList
            part={part}
            page={page}
            counts={counts}
            off={off}
            isReadOnly={isReadOnly}
            asides={asides}
            onShowAsides={() => setAsides([])}
            onStart={() => page.send("walk", { to: "next" })}
            onToggle={(mutation) =>
              setOff(new Set(off.has(mutation) ? [...off].filter((each) => each !== mutation) : [...off, mutation]))
            }
            onChange={change}
          />
        )}
      </aside>
    </div>
  );
}
