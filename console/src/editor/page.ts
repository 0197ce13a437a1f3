import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Draft } from "./changes.ts";
import { type ChosenElement, type PageMessage, readMessage } from "./messages.ts";

/** Seconds after which a page that has not answered is one that does not open in the editor. */
const PATIENCE_SECONDS = 8;

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
  /** The HTML of the chosen element, all of it. */
  copy: () => Promise<string>;
  /** Hear every message of the page, until the returned function is called. */
  listen: (hear: (message: PageMessage) => void) => () => void;
}

export interface Peer {
  /** The window of the page, once there is one. */
  target: () => Window | null;
  /** Whether the page that is to be edited may have this origin. */
  accepts: (origin: string) => boolean;
  /** True where the page is shown by the preview proxy, whose bridge brings the editor; else the page has a window. */
  isProxied: boolean;
}

/** Talk with the shop's page: show the draft there, hear what a person chooses. */
export function useEditedPage(
  peer: Peer,
  nonce: string,
  draft: Draft,
  isOriginal: boolean,
  picks: boolean,
): EditedPage {
  const [state, setState] = useState<EditedPage["state"]>("waiting");
  const [url, setUrl] = useState("");
  const [element, setElement] = useState<ChosenElement | null>(null);
  const [{ matches, errors }, setShown] = useState<{ matches: number[]; errors: string[] }>({
    matches: [],
    errors: [],
  });
  const [blocked, setBlocked] = useState<string | null>(null);
  const turn = useRef(0);
  const copied = useRef<(html: string) => void>(() => {});
  const listeners = useRef(new Set<(message: PageMessage) => void>());
  /** Origin of the page that was heard last: what is sent to another one does not arrive. */
  const origin = useRef("");

  const post = useCallback(
    (message: object) => {
      if (origin.current) peer.target()?.postMessage(message, origin.current);
    },
    [peer],
  );
  const send = useCallback(
    (type: string, about: object = {}) => post({ source: "svc-edit", nonce, type, ...about }),
    [post, nonce],
  );
  const { mutations, css } = draft;

  useEffect(() => {
    const begin = (url: string) => {
      setUrl(url);
      setState("waiting");
      setElement(null);
    };
    const hear = (event: MessageEvent) => {
      if (event.source === null || event.source !== peer.target() || !peer.accepts(event.origin)) return;
      const message = readMessage(event.data, nonce, peer.isProxied);
      if (!message) return;
      origin.current = event.origin;
      if (message.type === "hello") {
        if (!peer.isProxied) begin(message.url);
        send("begin");
      }
      if (message.type === "ready") setState("ready");
      if (message.type === "moved") setUrl(message.url);
      if (message.type === "left") setState("waiting");
      if (message.type === "selected") setElement(message.element);
      if (message.type === "copied") copied.current(message.html);
      if (message.type === "blocked") setBlocked(message.blocked);
      if (message.type === "shown" && message.turn === turn.current) setShown(message);
      if (message.type === "navigated") {
        if (message.isNew) {
          begin(message.url);
          post({ source: "svc-preview", type: "edit" });
        } else setUrl(message.url);
      }
      for (const listener of listeners.current) listener(message);
    };
    window.addEventListener("message", hear);
    return () => window.removeEventListener("message", hear);
  }, [peer, nonce, post, send]);

  useEffect(() => {
    origin.current = "";
    setState("waiting");
    setElement(null);
    setBlocked(null);
  }, [peer]);

  useEffect(() => {
    if (state !== "waiting") return;
    const timer = setTimeout(() => setState("silent"), PATIENCE_SECONDS * 1000);
    return () => clearTimeout(timer);
  }, [state, peer, url]);

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
  const copy = useCallback(() => {
    const html = new Promise<string>((done) => {
      copied.current = done;
    });
    send("copy");
    return html;
  }, [send]);
  const listen = useCallback((hear: (message: PageMessage) => void) => {
    listeners.current.add(hear);
    return () => void listeners.current.delete(hear);
  }, []);
  return { state, url, element, matches, errors, blocked, send, forget, copy, listen };
}
