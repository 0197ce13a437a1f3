import { useEffect, useId, useState } from "preact/hooks";
import type { Counts } from "./counting.ts";
import { elements, meaning, outcomeOf, type PageCount } from "./counts.ts";
import { pageAt, shortOf } from "./other_pages.ts";

interface SelectorProps {
  selector: string;
  counts: Counts;
  /** Elements on the page that is shown, where that is known without counting. */
  here?: number | undefined;
}

/** How many elements a selector matches: here, on each other page, and what that means. */
export function SelectorCounts({ selector, counts, here = counts.here(selector) }: SelectorProps) {
  useEffect(() => counts.include(selector), [selector, counts.include]);
  if (counts.isSilent && here === undefined) return <p class="hint">It is counted once the page answers.</p>;
  const pages = counts.others(selector);
  const text = here === undefined ? "" : meaning(here, pages, counts.sent(selector));
  return (
    <div class="counts">
      <dl>
        <div>
          <dt>Here</dt>
          <dd>{here === undefined ? "…" : elements(here)}</dd>
        </div>
        {pages.map((each, place) => (
          <div key={place} class={isAbsent(each) ? "absent" : ""}>
            <dt>
              {each.url ? (
                <button type="button" class="link" title={`Open ${each.url}`} onClick={() => counts.open(each.url)}>
                  {shortOf(each.url)}
                </button>
              ) : (
                "Another page"
              )}
            </dt>
            <dd>{outcomeOf(each)}</dd>
          </div>
        ))}
      </dl>
      <p class="hint" role="status">
        {pages.length ? text : "No other page with these changes is linked here. Name one below."}
      </p>
    </div>
  );
}

/** The same in a line below a change, without the page that is shown. */
export function CountsInLine({ selector, counts }: SelectorProps) {
  useEffect(() => counts.include(selector), [selector, counts.include]);
  return (
    <p class="counts-in-line">
      {counts.pages &&
        counts.others(selector).map((each) => (
          <span key={each.url} class={isAbsent(each) ? "absent" : ""} title={each.url}>
            {shortOf(each.url, 30)}: {outcomeOf(each)}
          </span>
        ))}
    </p>
  );
}

function isAbsent({ outcome, count, isOutside }: PageCount): boolean {
  return outcome === "counted" && count === 0 && !isOutside;
}

/** Which other pages are counted: those chosen here, until a person writes others. */
export function OtherPages({ counts, url }: { counts: Counts; url: string }) {
  const list = useId();
  const host = pageAt(url)?.host ?? "";
  const picked = [...counts.picked];
  const isOutside = (text: string) => {
    const address = pageAt(text, url)?.href;
    return text !== "" && counts.pages?.find((each) => each.url === address)?.isOutside === true;
  };
  return (
    <details class="other-pages">
      <summary>Other pages that are counted</summary>
      {counts.typed.map((text, place) => (
        <PageField
          key={place}
          label={`Other page, ${place + 1}`}
          list={list}
          value={text}
          isOutside={isOutside(text)}
          chosen={text ? "" : shortOf(picked.shift() ?? "", 60)}
          url={url}
          onChange={(next) => counts.type(place, next)}
        />
      ))}
      <datalist id={list}>
        {counts.known.map((each) => (
          <option key={each} value={each.slice(new URL(each).origin.length)} />
        ))}
      </datalist>
      <p class="hint">
        {counts.pages?.length === 0 && "No other page with these changes is linked here: write its address. "}
        Any page of {host}, or empty for the choice made here. Counted is what the server sends: nothing of these pages
        runs, and what scripts add is not in it.
      </p>
      <button type="button" onClick={counts.refresh}>
        Count again
      </button>
    </details>
  );
}

interface PageFieldProps {
  label: string;
  list: string;
  value: string;
  isOutside: boolean;
  /** The page in its place while it is empty. */
  chosen: string;
  url: string;
  onChange: (address: string) => void;
}

function PageField({ label, list, value, isOutside, chosen, url, onChange }: PageFieldProps) {
  const id = useId();
  const [typed, setTyped] = useState(value);
  const [isForeign, setForeign] = useState(false);
  const take = (text: string) => {
    const page = text ? pageAt(text, url) : null;
    const isWrong = text !== "" && page?.origin !== pageAt(url)?.origin;
    setForeign(isWrong);
    setTyped(isWrong || !page ? text : page.href.slice(page.origin.length));
    if (!isWrong) onChange(page ? page.href.slice(page.origin.length) : "");
  };
  const note = isForeign
    ? "Only pages of the same host can be counted from here."
    : isOutside && "The rules of the experiment leave it out.";
  return (
    <label class="field">
      {label}
      <input
        type="text"
        inputMode="url"
        spellcheck={false}
        list={list}
        placeholder={chosen || "/products/lamp"}
        value={typed}
        aria-invalid={isForeign || undefined}
        aria-describedby={note ? id : undefined}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onChange={(event) => take(event.currentTarget.value.trim())}
      />
      {note && (
        <span id={id} class={isForeign ? "message" : "hint"}>
          {note}
        </span>
      )}
    </label>
  );
}
