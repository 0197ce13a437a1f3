import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../address.ts";
import { api, data } from "../api/client.ts";
import { mayLeave } from "../kit/leave.ts";
import { SCREENS } from "../routes.ts";
import { may } from "../session/session.ts";

interface Hit {
  title: string;
  words?: string | undefined;
  kind: string;
  address: string;
}

const MOST_HITS = 12;
const PAUSE_MS = 150;

/** Search for a screen or an experiment by name: Ctrl-K from anywhere. */
export function Search() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const experiments = useExperiments(text);
  const { route } = useLocation();
  // Hits are rendered only while the dialog is open.
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    setOpen(true);
    dialog.current?.showModal();
  };
  const close = () => {
    setOpen(false);
    setText("");
  };
  useEffect(() => {
    const onShortcut = (event: KeyboardEvent) => {
      if (!(event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey))) return;
      event.preventDefault();
      open();
    };
    document.addEventListener("keydown", onShortcut);
    return () => document.removeEventListener("keydown", onShortcut);
  }, []);

  const wanted = text.trim().toLowerCase();
  const screens = (isOpen ? SCREENS : [])
    .filter(({ group, words, scope }) => (group !== undefined || words) && may(scope))
    .map(({ title, words, path }): Hit => ({ title, words, kind: "Screen", address: at(path) }));
  const isMeant = (text = "") => text.toLowerCase().includes(wanted);
  const hits = [...screens, ...experiments]
    .filter(({ title, words }) => isMeant(title) || (wanted && isMeant(words)))
    .slice(0, MOST_HITS);
  const go = (hit: Hit | undefined) => {
    if (!hit || !mayLeave()) return;
    dialog.current?.close();
    route(hit.address);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && hits.length) {
      event.preventDefault();
      setChosen((chosen + step + hits.length) % hits.length);
    }
    if (event.key === "Enter") {
      event.preventDefault();
      go(hits[chosen]);
    }
  };
  return (
    <>
      <button type="button" class="quiet search-button" onClick={open}>
        Search <kbd>Ctrl K</kbd>
      </button>
      <dialog ref={dialog} class="search" aria-label="Search" onClose={close}>
        <input
          type="text"
          role="combobox"
          aria-label="Search for screens and experiments"
          aria-expanded="true"
          aria-controls="hits"
          aria-activedescendant={hits.length ? `hit-${chosen}` : undefined}
          placeholder="Screens and experiments"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={onKey}
        />
        <div id="hits" role="listbox" aria-label="Hits">
          {hits.map((hit, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the combobox
            <div
              key={hit.address}
              id={`hit-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onClick={() => go(hit)}
            >
              {hit.title} <small class="soft">{hit.kind}</small>
            </div>
          ))}
        </div>
        {isOpen && !hits.length && <p class="soft">Nothing has this name.</p>}
      </dialog>
    </>
  );
}

function useExperiments(text: string): Hit[] {
  const [hits, setHits] = useState<Hit[]>([]);
  useEffect(() => {
    if (!text.trim() || !may("experiments:read")) return setHits([]);
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const query = { q: text.trim(), limit: MOST_HITS };
      const page = await data(api.GET("/experiments", { params: { query } })).catch(() => null);
      if (page && isCurrent) setHits(page.data.map(hitOf));
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text]);
  return hits;
}

function hitOf(experiment: { id: string; name: string; status: string }): Hit {
  return { title: experiment.name, kind: experiment.status, address: at("/experiments", experiment.id) };
}
