import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Peer } from "./page.ts";

/** Milliseconds between looks at whether the window is still there: no event says so. */
const LOOK_MS = 500;

export interface LiveWindow {
  peer: Peer;
  address: string;
  /** `gone` where it was closed, or a page in it cut its connection to this one; `blocked` where no window opened. */
  state: "none" | "open" | "blocked" | "gone";
  open: (address: string) => void;
  show: () => void;
  close: () => void;
}

/**
 * A window with a page of the shop, whose own tag brings the editor. The name of the window has the nonce: unlike what
 * stands in the address, it is there on every page that follows, and no script of the shop stumbles over it.
 */
export function useLive(nonce: string, first: string, hosts: readonly string[]): LiveWindow {
  const shop = useRef<Window | null>(null);
  const [address, setAddress] = useState(first);
  const [state, setState] = useState<LiveWindow["state"]>("none");
  const [turn, setTurn] = useState(0);

  const open = useCallback(
    (next: string) => {
      setAddress(next);
      setTurn((before) => before + 1);
      if (!isPage(next)) return setState("blocked");
      // The window is used again where it is still ours.
      shop.current = window.open(next, `svc_edit=1,${nonce}`, "popup,width=1280,height=860");
      setState(shop.current ? "open" : "blocked");
    },
    [nonce],
  );
  const close = useCallback(() => {
    shop.current?.close();
    shop.current = null;
    setState("none");
  }, []);
  useEffect(() => close, [close]);
  useEffect(() => {
    if (state !== "open") return;
    const timer = setInterval(() => shop.current?.closed && setState("gone"), LOOK_MS);
    return () => clearInterval(timer);
  }, [state]);

  const peer = useMemo<Peer>(
    () => ({ target: () => shop.current, accepts: (origin) => isOfShop(origin, address, hosts), isProxied: false }),
    // Each opening is a conversation of its own.
    [address, hosts, turn],
  );
  const show = useCallback(() => shop.current?.focus(), []);
  return { peer, address, state, open, show, close };
}

/** Return whether an address can be a page: others, such as `javascript:`, would run here. */
function isPage(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}

/**
 * Return whether pages of this origin are the shop's: that of the address, which may lead to another host of the shop,
 * such as `www`. Only an address without TLS leads to others without it.
 */
export function isOfShop(origin: string, address: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(origin) || !isPage(address)) return false;
  const [page, opened] = [new URL(origin), new URL(address)];
  if (page.origin === opened.origin) return true;
  if (page.protocol !== "https:" && page.protocol !== opened.protocol) return false;
  return [...hosts, opened.hostname.replace(/^www\./, "")].some(
    (host) => host !== "" && (page.hostname === host || page.hostname.endsWith(`.${host}`)),
  );
}
