import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Draft } from "./changes.ts";
import { type ChosenElement, readMessage } from "./messages.ts";

/** Seconds after which a page that has not answered is one that does not open in the editor. */
const PATIENCE_SECONDS = 12;

export interface EditedPage {
  /** `waiting` until the page answers; `silent` where it does not. */
  state: "waiting" | "ready" | "silent";
  url: string;
  element: ChosenElement | null;
  /** Elements that each change matches, in the order of the draft; -1 for a selector that is not valid. */
  matches: readonly number[];
  errors: readonly string[];
  blocked: string | null;
  send: (type: string, about?: object) => void;
  forget: () => void;
}

export interface Peer {
  /** The window of the page, once there is one. */
  target: () => Window | null;
  origin: string;
  /** True where the page is shown by the preview proxy, whose bridge brings the editor. */
  isProxied: boolean;
}

/** Talk with the shop's page: show the draft there, hear what a person chooses. */
export function useEditedPage(peer: Peer, draft: Draft, isOriginal: boolean, picks: boolean): EditedPage {
  const nonce = useMemo(() => crypto.randomUUID(), []);
  const [state, setState] = useState<EditedPage["state"]>("waiting");
  const [url, setUrl] = useState("");
  const [element, setElement] = useState<ChosenElement | null>(null);
  const [{ matches, errors }, setShown] = useState<{ matches: number[]; errors: string[] }>({
    matches: [],
    errors: [],
  });
  const [blocked, setBlocked] = useState<string | null>(null);
  const turn = useRef(0);

  const send = useCallback(
    (type: string, about: object = {}) =>
      peer.target()?.postMessage({ source: "svc-edit", nonce, type, ...about }, peer.origin),
    [peer, nonce],
  );
  const { mutations, css } = draft;

  useEffect(() => {
    const hear = (event: MessageEvent) => {
      if (event.source === null || event.source !== peer.target() || event.origin !== peer.origin) return;
      const message = readMessage(event.data, nonce);
      if (!message) return;
      if (message.type === "hello") send("begin");
      if (message.type === "ready") setState("ready");
      if (message.type === "selected") setElement(message.element);
      if (message.type === "blocked") setBlocked(message.blocked);
      if (message.type === "shown" && message.turn === turn.current) setShown(message);
      if (message.type === "navigated") {
        setUrl(message.url);
        const isNew = isRecord(event.data) && event.data.type === "hello";
        if (!isNew) return;
        setState("waiting");
        setElement(null);
        if (peer.isProxied) peer.target()?.postMessage({ source: "svc-preview", type: "edit" }, peer.origin);
      }
    };
    window.addEventListener("message", hear);
    return () => window.removeEventListener("message", hear);
  }, [peer, nonce, send]);

  useEffect(() => {
    if (state !== "waiting") return;
    const timer = setTimeout(() => setState("silent"), PATIENCE_SECONDS * 1000);
    return () => clearTimeout(timer);
  }, [state]);

  useEffect(() => {
    if (state !== "ready") return;
    turn.current++;
    send("show", isOriginal ? { mutations: [], css: "", turn: turn.current } : { mutations, css, turn: turn.current });
  }, [state, mutations, css, isOriginal, send]);

  useEffect(() => {
    if (state === "ready") send("mode", { picks });
  }, [state, picks, send]);

  const forget = useCallback(() => {
    setElement(null);
    send("clear");
  }, [send]);
  return { state, url, element, matches, errors, blocked, send, forget };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
