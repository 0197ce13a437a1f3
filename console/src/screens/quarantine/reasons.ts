import type { Schemas } from "../../api/client.ts";
import type { paths } from "../../api/schema.d.ts";

type Query = NonNullable<paths["/analytics/quarantine"]["get"]["parameters"]["query"]>;
export type Reason = NonNullable<Query["reason"]>;
type Event = Schemas["QuarantinedEvent"];

interface Advice {
  words: string;
  todo: string;
}

const missing = (field: string, where: string): Advice => ({
  words: `${field} is missing`,
  todo: `Add ${field} to ${where}.`,
});

/** What is wrong with an event, and what to change. A reason that the API gets and this table does not have is an error of the build. */
export const REASONS: Record<Reason, Advice> = {
  not_an_object: { words: "It is no object", todo: "Send each event as a JSON object with a type." },
  unknown_type: {
    words: "Its type is unknown",
    todo: "Use pageview, goal, custom, order, refund or experiment_viewed.",
  },
  foreign_shop: { words: "It names another shop", todo: "Leave shopId out, or use the key of that shop." },
  missing_visitor_id: missing("visitorId", "every event"),
  missing_ts: missing("ts", "every event, in milliseconds"),
  ts_in_future: {
    words: "It is from the future",
    todo: "Set the clock of the server, use milliseconds, and send sentAt with each request.",
  },
  ts_too_old: {
    words: "It is too old",
    todo: "Use milliseconds, not seconds. Events older than seven days cannot be counted.",
  },
  data_too_large: { words: "Its data is too large", todo: "Keep data below 32 KiB." },
  data_too_deep: { words: "Its data is nested too deeply", todo: "Use at most 64 levels." },
  invalid_text: {
    words: "It has characters that cannot be stored",
    todo: "Send valid UTF-8 without NUL, control characters or half surrogates.",
  },
  invalid_field: {
    words: "A field has the wrong type",
    todo: "Ids and names are texts of at most 256 characters, ts and assignment_epoch whole numbers, data an object.",
  },
  invalid_revenue: {
    words: "The amount is no amount",
    todo: 'Send revenue as a number or as text such as "49.90", not negative.',
  },
  missing_experiment_id: missing("experimentId", "experiment_viewed"),
  missing_variation_id: missing("variationId", "experiment_viewed"),
  missing_goal_id: missing("data.goalId", "goal events"),
  missing_event_name: missing("data.event_name", "custom events"),
  missing_revenue: missing("data.revenue", "orders and refunds"),
  duplicate_key: {
    words: "A name stands twice in one object",
    todo: "Send each name once: readers differ in which one counts.",
  },
  invalid_number: { words: "A number is none", todo: "NaN, Infinity and numbers such as 1e400 cannot be sent." },
  unknown_goal: { words: "The goal does not exist", todo: "Use the id of a goal of this shop." },
  unreadable_row: { words: "We cannot read it", todo: "This is our fault. Write to the operators in the inbox." },
};

export interface Group {
  reason: string;
  count: number;
  newest: string;
  sample: string;
}

/** Group events by their reason, the most frequent first. Events come newest first. */
export function grouped(events: readonly Event[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { reason, received_at, sample } of events) {
    const group = groups.get(reason);
    if (group) group.count++;
    else groups.set(reason, { reason, count: 1, newest: received_at, sample });
  }
  return [...groups.values()].sort((one, other) => other.count - one.count);
}

export function adviceFor(reason: string): Advice {
  return REASONS[reason as Reason] ?? { words: reason, todo: "See the guide of events." };
}
