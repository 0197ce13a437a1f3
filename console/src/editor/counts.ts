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
      return to ? `leads to ${shortOf(to, 24)}` : "leads to another host";
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
  const inside = pages.filter(({ isOutside }) => !isOutside);
  const counted = inside.filter(({ outcome }) => outcome === "counted");
  const without = namesOf(
    counted.filter(({ count }) => count === 0),
    pages,
  );
  if (without && sent === undefined) return "";
  const more = counted.filter(({ count }) => count > here);
  const sizes = [...new Set(more.map(({ count }) => count))];
  const moreOf = (size: number) =>
    namesOf(
      more.filter(({ count }) => count === size),
      pages,
    );
  const unread = namesOf(
    inside.filter(({ outcome }) => outcome === "unread"),
    pages,
  );
  const sentences = [
    without && sent !== 0 && `The change does nothing on ${without}.`,
    without && sent === 0 && `Scripts add it here, and may on ${without}, too: open it there to see.`,
    ...sizes.map((size) => `On ${moreOf(size)} the change is made to ${elements(size)}.`),
    unread && `The rules of this page (Content-Security-Policy) may forbid reading ${unread}.`,
  ].filter(Boolean);
  if (sentences.length) return sentences.join(" ");
  return counted.length && counted.every(({ count }) => count === here) ? "The same on each page." : "";
}

function namesOf(some: readonly PageCount[], all: readonly PageCount[]): string {
  if (some.length > 1 && some.length === all.length) return "the other pages";
  return some.map(({ url }) => shortOf(url)).join(" and ");
}
