import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { at } from "../address.ts";
import { api, data, type Schemas, shopId } from "../api/client.ts";
import { may } from "../session/session.ts";

type Unread = Schemas["InboxUnread"];

/** How many messages of the shop nobody read who is signed in here; null before that is known. */
export const unread = signal<Unread | null>(null);

const EVERY_MS = 60_000;

/** Count again, after messages were read. */
export async function countUnread(): Promise<void> {
  if (!may("inbox:read")) return;
  unread.value = await data(api.GET("/inbox/unread")).catch(() => unread.peek());
}

/** The way to the inbox, with the number of unread messages. */
export function Bell() {
  const shop = shopId.value;
  useEffect(() => {
    unread.value = null;
    const look = () => {
      if (document.visibilityState === "visible") void countUnread();
    };
    look();
    const timer = setInterval(look, EVERY_MS);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [shop]);
  if (!may("inbox:read")) return null;
  const { unread: number = 0, has_more: isMore = false } = unread.value ?? {};
  const words = number ? `Inbox, ${number}${isMore ? " and more" : ""} unread` : "Inbox";
  return (
    <a class="bell" href={at("/inbox")} aria-label={words} title={words}>
      <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
        <path d="M10 2.2a5 5 0 0 0-5 5v3.3L3.4 13.6h13.2L15 10.5V7.2a5 5 0 0 0-5-5zM8 15.4a2 2 0 0 0 4 0" />
      </svg>
      {number > 0 && <span class="number">{isMore ? "99+" : number}</span>}
    </a>
  );
}
