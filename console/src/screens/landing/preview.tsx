import { useEffect, useRef, useState } from "preact/hooks";
import { api, data, type Schemas } from "../../api/client.ts";
import { asProblem, messagesFor, type Problem } from "../../api/problems.ts";
import { useWidth } from "../../plots/width.ts";
import { type Content, placeInWords } from "./content.ts";

/** The id of the preview, which is below the form on narrow screens. */
export const PREVIEW = "preview-of-the-page";

const WIDTHS = [
  { width: 360, label: "Phone" },
  { width: 768, label: "Tablet" },
  { width: 1280, label: "Desktop" },
];
/** How long nothing is typed before the page is shown again. */
const PAUSE_MS = 700;

interface Draft {
  content: Content | null;
  seo: Partial<Schemas["SeoManifestInput"]>;
}

interface Shown {
  url: string | null;
  problem: Problem | null;
  /** What is shown is of an earlier draft. */
  isLate: boolean;
}

/** Have the draft rendered where nothing was typed for a moment, one rendering after the other. */
function useRendered(landing_page_id: string, { content, seo }: Draft): Shown {
  const [shown, setShown] = useState<Omit<Shown, "isLate"> & { of: string }>({ url: null, problem: null, of: "" });
  const wanted = content ? JSON.stringify({ spec: content, seo_manifest: seo }) : "";
  const latest = useRef(wanted);
  latest.current = wanted;
  const isBusy = useRef(false);
  const isGone = useRef(false);
  useEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );
  const render = async () => {
    if (isBusy.current) return;
    isBusy.current = true;
    let done = "";
    while (!isGone.current && latest.current && latest.current !== done) {
      done = latest.current;
      const body = JSON.parse(done) as Schemas["LandingPagePreviewCreate"];
      try {
        const params = { path: { landing_page_id } };
        const { url } = await data(api.POST("/landing-pages/{landing_page_id}/previews", { params, body }));
        setShown({ url, problem: null, of: done });
      } catch (thrown) {
        setShown(({ url }) => ({ url, problem: asProblem(thrown), of: done }));
      }
    }
    isBusy.current = false;
  };
  useEffect(() => {
    if (!wanted) return;
    const timer = setTimeout(() => void render(), latest.current && shown.of ? PAUSE_MS : 0);
    return () => clearTimeout(timer);
  }, [wanted]);
  return { url: shown.url, problem: shown.problem, isLate: shown.of !== wanted };
}

interface Props extends Draft {
  pageId: string;
  /** The block that is worked on, which the page is scrolled to. */
  at: string;
}

/** The page as it is written, next to its fields: made by the renderer that publishes it. */
export function Preview({ pageId, content, seo, at }: Props) {
  const { url, problem, isLate } = useRendered(pageId, { content, seo });
  const [width, setWidth] = useState(WIDTHS[0]?.width ?? 360);
  const room = useWidth();
  const scale = Math.min(1, room.width / width);
  return (
    <section class="preview" id={PREVIEW} aria-label="Preview" tabIndex={-1}>
      <div class="preview-bar">
        <h2>Preview</h2>
        <fieldset class="tools">
          <legend class="unseen">Width</legend>
          {WIDTHS.map((each) => (
            <button
              key={each.width}
              type="button"
              class="quiet"
              aria-pressed={each.width === width}
              onClick={() => setWidth(each.width)}
            >
              {each.label} <span class="soft">{each.width}</span>
            </button>
          ))}
        </fieldset>
      </div>
      <Waiting problem={problem} content={content} hasPage={url !== null} />
      <div ref={room.ref} class="preview-room" aria-busy={isLate}>
        {url && <Frames url={url} at={at} width={width} scale={scale} beside={(room.width - width * scale) / 2} />}
      </div>
      <p class="soft">
        The page as it will be published, without scripts: experiments and forms do nothing here, and nothing is saved
        by looking at it.{" "}
        {url && (
          <a href={url} target="_blank" rel="noreferrer">
            Open it in a window
          </a>
        )}
      </p>
    </section>
  );
}

/** Why the newest draft is not shown: something in it is not whole yet, or the service says no. */
function Waiting({
  problem,
  content,
  hasPage,
}: {
  problem: Problem | null;
  content: Content | null;
  hasPage: boolean;
}) {
  if (!problem) return null;
  const [first, ...others] = problem.fields;
  const rest = others.length ? ` And ${others.length} more.` : "";
  return (
    <p class="note warn" role="status">
      {hasPage ? "You see the page before your last changes. " : "The page cannot be shown yet. "}
      {first ? `${placeInWords(content, first.path)}: ${messagesFor(problem, first.path)[0]}${rest}` : problem.message}
    </p>
  );
}

interface FramesProps {
  url: string;
  at: string;
  width: number;
  scale: number;
  /** Pixels beside it. */
  beside: number;
}

/** Two frames: the next page is loaded behind the one that is shown, so that nothing flickers. */
function Frames({ url, at, width, scale, beside }: FramesProps) {
  const [loaded, setLoaded] = useState("");
  const frame = useRef<HTMLIFrameElement>(null);
  const first = useRef(new Map<string, string>());
  // The address that a frame begins with stays: another one would load it again.
  const begun = (each: string) => first.current.get(each) ?? `${each}${at && `#${at}`}`;
  const urls = loaded && loaded !== url ? [loaded, url] : [url];
  for (const each of urls) first.current.set(each, begun(each));
  for (const each of first.current.keys()) if (!urls.includes(each)) first.current.delete(each);
  useEffect(() => {
    if (at && loaded === url) frame.current?.contentWindow?.location.replace(`${url}#${at}`);
  }, [at]);
  const style = { left: `${beside}px`, width: `${width}px`, height: `${100 / scale}%`, transform: `scale(${scale})` };
  return (
    <>
      {urls.map((each) => (
        <iframe
          key={each}
          ref={each === url ? frame : undefined}
          class={each === url && loaded && loaded !== url ? "is-next" : undefined}
          title={each === url ? "The page" : "The page before"}
          src={begun(each)}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          style={style}
          onLoad={() => each === url && setLoaded(url)}
        />
      ))}
    </>
  );
}
