// What a selector matches on other pages, in words.

import { shortOf } from "./other_pages.ts";

export const OUTCOMES = ["counted", "elsewhere", "status", "other", "large", "late", "unread"] as const;
/** `elsewhere`: the address leads to another page; `other`: it is not a page; `unread`: a policy, or no connection. */
export type Outcome = (typeof OUTCOMES)[number];

/** The count on one other page. */
export interface PageCount {
  url: string;
  outcome: Outcome | "waiting";
  /** Where it leads; "" where that is unknown. */
  to: string;
  status: number;
  /** -1 where the selector is not valid, and where nothing was counted. */
  count: number;
  /** Whether the experiment, or this part of the variation, is not shown there. */
  isOutside: boolean;
}

/** Return a count: "none", "1 element". */
export function elements(count: number): string {
  if (count < 0) return "not valid";
  return count === 0 ? "none" : count === 1 ? "1 element" : `${count} elements`;
}

/** Return a count in short, or why there is none. */
export function outcomeOf({ outcome, to, status, count }: PageCount): string {
  switch (outcome) {
    case "waiting":
      return "…";
    case "counted":
      return elements(count);
    case "elsewhere":
      return to ? `leads to ${shortOf(to, 20)}` : "leads to another host";
    case "status":
      return status === 404 ? "does not exist" : `answers with ${status}`;
    case "other":
      return "is not a page";
    case "large":
      return "is too large";
    case "late":
      return "does not answer";
    default:
      return "cannot be read";
  }
}

/**
 * Return what the counts mean for a change, as sentences; "" while one is missing, and where they mean nothing.
 *
 * `here` is the count on the page that is shown, `sent` the one in what the server sends of that page, -1 where that cannot be
 * read. If it has no match either, scripts bring it, and its absence elsewhere proves nothing.
 */
export function meaning(here: number, pages: readonly PageCount[], sent: number | undefined): string {
  if (here < 1 || !pages.length || pages.some(({ outcome }) => outcome === "waiting")) return "";
  /** The pages that pass: "/a and /b", or "the other pages". */
  const names = (passes: (page: PageCount) => boolean) => {
    const some = pages.filter(passes);
    if (some.length > 1 && some.length === pages.length) return "the other pages";
    return some.map(({ url }) => shortOf(url)).join(" and ");
  };
  const counted = pages.filter(({ outcome, isOutside }) => outcome === "counted" && !isOutside);
  const without = names((each) => counted.includes(each) && each.count === 0);
  if (without && sent === undefined) return "";
  const outside = names(({ outcome, isOutside }) => outcome === "counted" && isOutside);
  const unread = names(({ outcome }) => outcome === "unread");
  const more = new Set(counted.map(({ count }) => count).filter((count) => count > here));
  const sentences = [
    without && sent !== 0 && `The change does nothing on ${without}.`,
    without && sent === 0 && `Scripts add it here, and may on ${without}, too: open it there to see.`,
    ...[...more].map((count) => {
      const same = counted.filter((each) => each.count === count);
      const where = names((each) => same.includes(each));
      return `On ${where} the change is made to ${elements(count)}${same.length > 1 ? " each" : ""}.`;
    }),
    outside && `The rules of the experiment leave out ${outside}.`,
    unread && `The rules of this page (Content-Security-Policy) may forbid reading ${unread}.`,
  ].filter(Boolean);
  if (sentences.length) return sentences.join(" ");
  return counted.length && counted.every(({ count }) => count === here) ? "The same on each page." : "";
}
