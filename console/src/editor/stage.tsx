import type { RefObject } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, data } from "../api/client.ts";
import { useDoing } from "../api/loading.ts";
import { asProblem, type Problem } from "../api/problems.ts";
import { Form } from "../kit/form.tsx";
import type { LiveWindow } from "./live.ts";
import { LiveStage } from "./live_stage.tsx";
import type { EditedPage, Peer } from "./page.ts";

export interface OpenedPreview {
  peer: Peer;
  frame: RefObject<HTMLIFrameElement | null>;
  url: string | null;
  address: string;
  problem: Problem | null;
  open: (address: string) => void;
}

/** A preview of a page without any variation: the editor shows its draft there. */
export function usePreview(first: string, isWanted: boolean): OpenedPreview {
  const [address, open] = useState(first);
  const [attempt, setAttempt] = useState(0);
  const [opened, setOpened] = useState<{ url: string | null; problem: Problem | null }>({ url: null, problem: null });
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    if (!isWanted) return;
    let isCurrent = true;
    setOpened({ url: null, problem: null });
    data(api.POST("/previews", { body: { url: address, ttl_seconds: 7200 } })).then(
      ({ preview_url }) => isCurrent && setOpened({ url: preview_url, problem: null }),
      (thrown) => isCurrent && setOpened({ url: null, problem: asProblem(thrown) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [address, attempt, isWanted]);
  const { url } = opened;
  const peer = useMemo<Peer>(
    () => ({
      target: () => frame.current?.contentWindow ?? null,
      accepts: (origin) => url !== null && origin === new URL(url).origin,
      isProxied: true,
    }),
    [url],
  );
  const openAt = useCallback((next: string) => {
    open(next);
    setAttempt((before) => before + 1);
  }, []);
  return { ...opened, peer, frame, address, open: openAt };
}

/** Where the page is: in a frame here, through the proxy of previews, or in a window of its own. */
export type Way = "here" | "window";

interface StageProps {
  preview: OpenedPreview;
  live: LiveWindow;
  way: Way;
  onWay: (way: Way) => void;
  page: EditedPage;
  width: number;
}

/** The shop's page, at the width of a device, made smaller where the window is. */
export function Stage({ preview, live, way, onWay, page, width }: StageProps) {
  const stage = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState({ width: 1280, height: 800 });
  useEffect(() => {
    const element = stage.current;
    if (!element) return;
    const watcher = new ResizeObserver(([entry]) => entry && setRoom(entry.contentRect));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  const scale = Math.min(1, room.width / width);
  const style = { width: `${width}px`, height: `${room.height / scale}px`, transform: `scale(${scale})` };
  return (
    <section class="editor-stage" aria-label="Page of the shop" aria-busy={page.state === "waiting"}>
      <AddressBar
        page={page}
        way={way}
        onWay={onWay}
        address={way === "here" ? preview.address : live.address}
        onOpen={way === "here" ? preview.open : live.open}
      />
      <div class="editor-room" ref={stage}>
        {way === "window" ? (
          <LiveStage live={live} page={page} onHere={() => onWay("here")} />
        ) : preview.problem ? (
          <Unopened problem={preview.problem} preview={preview} onWindow={() => onWay("window")} />
        ) : (
          preview.url && <iframe ref={preview.frame} title="The shop's page" src={preview.url} style={style} />
        )}
        {way === "here" && page.state === "silent" && !preview.problem && (
          <Silent preview={preview} onWindow={() => onWay("window")} />
        )}
      </div>
      {page.blocked && <p class="note warn">Not part of this preview: {page.blocked}</p>}
    </section>
  );
}

interface AddressBarProps {
  page: EditedPage;
  way: Way;
  address: string;
  onWay: (way: Way) => void;
  onOpen: (address: string) => void;
}

function AddressBar({ page, way, address, onWay, onOpen }: AddressBarProps) {
  const [typed, setTyped] = useState(address);
  useEffect(() => {
    if (page.url) setTyped(page.url);
  }, [page.url]);
  return (
    <form
      class="editor-address"
      onSubmit={(event) => {
        event.preventDefault();
        onOpen(typed);
      }}
    >
      <input
        type="url"
        aria-label="Address of the page"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <button type="submit">Open</button>
      <fieldset class="switch">
        <legend class="unseen">Where the page is shown</legend>
        <button type="button" aria-pressed={way === "here"} onClick={() => onWay("here")}>
          Here
        </button>
        <button type="button" aria-pressed={way === "window"} onClick={() => onWay("window")}>
          In a window
        </button>
      </fieldset>
    </form>
  );
}

interface WaysOnProps {
  preview: OpenedPreview;
  onWindow: () => void;
}

/** What else there is where the page does not come. */
function WaysOn({ preview, onWindow }: WaysOnProps) {
  return (
    <p class="buttons">
      <button type="button" class="primary" onClick={onWindow}>
        Open in a window
      </button>
      <button type="button" onClick={() => preview.open(preview.address)}>
        Try again
      </button>
    </p>
  );
}

function Silent({ preview, onWindow }: WaysOnProps) {
  return (
    <div class="note warn" role="status">
      <p>
        The page does not answer. It may refuse to be shown here, or need a login. Open it in a window of its own, where
        the shop's tag brings the editor, or write changes by hand in the list.
      </p>
      <WaysOn preview={preview} onWindow={onWindow} />
    </div>
  );
}

/** A host that is not the shop's yet is claimed with one click. */
function Unopened({ problem, preview, onWindow }: WaysOnProps & { problem: Problem }) {
  const doing = useDoing();
  const host = URL.canParse(preview.address) ? new URL(preview.address).hostname : "";
  if (problem.code !== "url_not_allowed" || !host) {
    return (
      <div class="failed">
        <h2>This page cannot be opened</h2>
        <p>{problem.message}</p>
        {problem.fields.map(({ message }) => (
          <p key={message}>The address {message}.</p>
        ))}
        <WaysOn preview={preview} onWindow={onWindow} />
      </div>
    );
  }
  const claim = async () => {
    const domains = await data(api.GET("/settings/install-domains"));
    const isOwn = domains.domain === host;
    const body = {
      expected_revision: domains.revision,
      ...(isOwn ? { domain: host } : { additionalDomains: [...domains.additionalDomains, host] }),
    };
    await data(api.PATCH("/settings/install-domains", { body }));
    preview.open(preview.address);
  };
  return (
    <div class="failed">
      <h2>Is {host} your shop?</h2>
      <p>Pages can be edited on hosts that belong to this shop. {problem.message}</p>
      <Form doing={doing} submit={`Add ${host} to the shop`} onSubmit={claim}>
        {null}
      </Form>
    </div>
  );
}
