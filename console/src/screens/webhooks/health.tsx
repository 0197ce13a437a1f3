import type { Schemas } from "../../api/client.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { count } from "../../kit/values.tsx";

type Webhook = Schemas["Webhook"];
type Stats = Schemas["WebhookStats"];

interface Health {
  tone: Tone;
  words: string;
}

/** Say how an endpoint does, by its own state and by its deliveries of the last day. */
export function healthOf(webhook: Webhook, stats: Stats | null): Health {
  if (webhook.archived_at) return { tone: "plain", words: "archived" };
  if (webhook.disabledAt) return { tone: "bad", words: "switched off after failures" };
  if (!webhook.active) return { tone: "plain", words: "off" };
  if (webhook.consecutiveFailures) return { tone: "bad", words: `${webhook.consecutiveFailures} given up in a row` };
  if (!stats) return { tone: "plain", words: "on" };
  const { dead, failed, delivered } = stats.counts;
  if (dead) return { tone: "warn", words: `${count(dead)} given up today` };
  if (failed) return { tone: "warn", words: `${count(failed)} to be tried again` };
  return delivered ? { tone: "good", words: "works" } : { tone: "plain", words: "nothing sent today" };
}

export function HealthBadge({ webhook, stats }: { webhook: Webhook; stats: Stats | null }) {
  const { tone, words } = healthOf(webhook, stats);
  return <Badge tone={tone}>{words}</Badge>;
}

/** Return a duration as a person reads it: "340 ms", "2.1 s", "4 min". */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.round(ms / 60_000)} min`;
}

/** Return the host and path of an address, without what all of them begin with. */
export function shortened(url: string): string {
  return url.replace(/^https?:\/\//, "");
}
