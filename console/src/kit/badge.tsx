import type { ComponentChildren } from "preact";

export type Tone = "good" | "bad" | "warn" | "plain";

export function Badge({ tone = "plain", children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

const TONES: Record<string, Tone> = {
  running: "good",
  active: "good",
  live: "good",
  published: "good",
  delivered: "good",
  succeeded: "good",
  completed: "plain",
  draft: "plain",
  archived: "plain",
  paused: "warn",
  pending: "warn",
  changes_requested: "warn",
  failed: "bad",
  dead: "bad",
  revoked: "bad",
};

/** The status of a thing in words; its colour repeats what the word says. */
export function Status({ status }: { status: string }) {
  return <Badge tone={TONES[status] ?? "plain"}>{inWords(status)}</Badge>;
}

/** Return a name of the API as a person writes it: `ready_to_launch` as "ready to launch". */
export function inWords(name: string): string {
  return name.replaceAll("_", " ");
}
