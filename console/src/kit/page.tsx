import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { shop } from "../session/session.ts";

interface PageProps {
  title: string;
  /** What stands above the title: where one came from. */
  above?: ComponentChildren;
  /** Behind the title: a badge. */
  beside?: ComponentChildren;
  actions?: ComponentChildren;
  lead?: ComponentChildren;
  children: ComponentChildren;
}

/** A screen: its title is the page's, and the only heading of the first level. */
export function Page({ title, above, beside, actions, lead, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · ${shop.value?.name ?? "abtest"}`;
  }, [title]);
  return (
    <>
      <header class="heading">
        {above && <p class="above">{above}</p>}
        <div class="title">
          <h1>{title}</h1>
          {beside}
          <span class="spring" />
          {actions && <div class="actions">{actions}</div>}
        </div>
        {lead && <p class="lead">{lead}</p>}
      </header>
      {children}
    </>
  );
}

/** Part of a screen with a heading of its own. */
export function Section({ title, actions, lead, children }: Omit<PageProps, "above" | "beside">) {
  return (
    <section class="section">
      <div class="title">
        <h2>{title}</h2>
        <span class="spring" />
        {actions && <div class="actions">{actions}</div>}
      </div>
      {lead && <p class="lead">{lead}</p>}
      {children}
    </section>
  );
}

export interface Tab {
  title: string;
  address: string;
}

const ROOM = 48;

/** Screens of one thing, as links: each has its address. */
export function Tabs({ tabs, current, label }: { tabs: readonly Tab[]; current: string; label: string }) {
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    // In a narrow window the bar scrolls: the current tab is brought into it.
    const chosen = bar.current?.querySelector<HTMLElement>("[aria-current]");
    if (bar.current && chosen) bar.current.scrollLeft = chosen.offsetLeft - bar.current.offsetLeft - ROOM;
  }, [current]);
  return (
    <nav ref={bar} class="tabs" aria-label={label}>
      {tabs.map(({ title, address }) => (
        <a key={address} href={address} aria-current={address === current ? "page" : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
