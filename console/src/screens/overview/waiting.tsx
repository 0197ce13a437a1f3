import type { ComponentChildren } from "preact";
import { at } from "../../address.ts";
import type { Schemas } from "../../api/client.ts";
import type { Tone } from "../../kit/badge.tsx";
import { Section } from "../../kit/page.tsx";
import { count, Time } from "../../kit/values.tsx";
import { SCREENS } from "../../routes.ts";
import { Facts } from "../results/parts.tsx";
import type { Overview } from "./overview.tsx";

export interface WaitingFact {
  id: string;
  word: readonly [string, Tone];
  text: ComponentChildren;
}

const DAY = 86_400_000;

/** What waits for a person; nothing where nothing does. */
export function Waiting({ facts }: { facts: readonly WaitingFact[] }) {
  if (!facts.length) return null;
  return (
    <Section title="Waits for someone">
      <Facts lines={facts} />
    </Section>
  );
}

/** Return what waits: approvals, publications, webhooks that are off, a silent shop, unread messages. */
export function waitingFacts(overview: Overview, webhooks: readonly Schemas["Webhook"][], now: number): WaitingFact[] {
  return [
    ...publicationFacts(overview),
    ...installFacts(overview, now),
    ...overview.approvals.data.map(
      ({ id, name, updated_at }): WaitingFact => ({
        id: `approval ${id}`,
        word: ["Approval", "warn"],
        text: (
          <>
            <a href={at("/experiments", id, "approval")}>{name}</a> waits for approval, since <Time at={updated_at} />.
          </>
        ),
      }),
    ),
    ...webhookFacts(webhooks),
    ...inboxFacts(overview),
  ];
}

function publicationFacts({ publication }: Overview): WaitingFact[] {
  if (!publication || publication.state === "published") return [];
  const isFailed = publication.state === "failed";
  return [
    {
      id: "publication",
      word: isFailed ? ["Not published", "bad"] : ["Being published", "plain"],
      text: (
        <>
          Changes that are saved are not in the shop yet, since <Time at={publication.since} />.
          {isFailed && " It is tried again every minute."}
        </>
      ),
    },
  ];
}

function installFacts({ last_seen_at: seen }: Overview, now: number): WaitingFact[] {
  if (seen && now - Date.parse(seen) < DAY) return [];
  const link = has("/install") && <a href={at("/install")}>Check the installation</a>;
  return [
    {
      id: "install",
      word: ["Silent shop", "warn"],
      text: seen ? (
        <>
          Nothing has come from the storefront since <Time at={seen} />. {link}
        </>
      ) : (
        <>Nothing has come from the storefront yet. {link}</>
      ),
    },
  ];
}

function webhookFacts(webhooks: readonly Schemas["Webhook"][]): WaitingFact[] {
  const off = webhooks.filter(({ disabledAt }) => disabledAt !== null);
  if (!off.length) return [];
  const names = off.length === 1 ? "A webhook is" : `${count(off.length)} webhooks are`;
  return [
    {
      id: "webhooks",
      word: ["Webhooks off", "bad"],
      text: (
        <>
          {names} switched off after many failures. <a href={at("/webhooks")}>See why</a>
        </>
      ),
    },
  ];
}

function inboxFacts({ inbox }: Overview): WaitingFact[] {
  if (!inbox?.unread) return [];
  const number = `${count(inbox.unread)}${inbox.has_more ? " or more" : ""} unread`;
  return [
    {
      id: "inbox",
      word: ["Inbox", "plain"],
      text: has("/inbox") ? <a href={at("/inbox")}>{number}</a> : number,
    },
  ];
}

function has(path: string): boolean {
  return SCREENS.some((screen) => screen.path === path);
}
