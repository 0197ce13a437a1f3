import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { Loaded } from "../api/loading.ts";
import type { Problem } from "../api/problems.ts";
import { shop } from "../session/session.ts";
import { sentence } from "./formats.ts";

const QUIET_MS = 300;

/** Show what was read by its state: loading after a moment, refused, failed, stale, or there. */
export function Shown<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  const { data, problem, reload } = of;
  if (data === null) return problem ? <Failed problem={problem} again={reload} /> : <Waiting />;
  return (
    <>
      {problem && <Stale problem={problem} again={reload} />}
      {children(data)}
    </>
  );
}

/** The title of the screen's route, for as long as the screen has none of its own. */
export const RouteTitle = createContext("");

/** The title of a screen that does not know its own yet, because it cannot name what it shows. */
function Heading() {
  const title = useContext(RouteTitle);
  const [isAlone, setAlone] = useState(false);
  useLayoutEffect(() => {
    if (!title || document.querySelector("#main h1")) return;
    setAlone(true);
    document.title = `${title} · ${shop.value?.name ?? "abtest"}`;
  }, []);
  return isAlone ? <h1 class="heading">{title}</h1> : null;
}

/** Say that something is being read, once that takes a while. */
export function Waiting() {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      {isLate && <Heading />}
      <p class="waiting" role="status">
        {isLate && "Loading …"}
      </p>
    </>
  );
}

export function Failed({ problem, again }: { problem: Problem; again: () => Promise<void> }) {
  if (problem.status === 403) return <Refused scope={scopeOf(problem)} message={problem.message} />;
  return (
    <>
      <Heading />
      <div class="failed" role="alert">
        <h2>{problem.status === 404 ? "This does not exist, or not in this shop" : "This could not be read"}</h2>
        <p>{sentence(problem.message)}</p>
        {problem.requestId && <p class="soft">Request {problem.requestId}</p>}
        <button type="button" onClick={() => void again()}>
          Try again
        </button>
      </div>
    </>
  );
}

function Stale({ problem, again }: { problem: Problem; again: () => Promise<void> }) {
  return (
    <p class="note warn" role="status">
      What you see may be out of date: {sentence(problem.message)}{" "}
      <button type="button" class="link" onClick={() => void again()}>
        Try again
      </button>
    </p>
  );
}

/** Say which scope is missing, and who can give it. */
export function Refused({ scope, message }: { scope: string; message?: string }) {
  return (
    <>
      <Heading />
      <div class="failed">
        <h2>You may not see this</h2>
        <p>
          {scope
            ? `It takes the scope ${scope}, which you do not have in ${shop.value?.name ?? "this shop"}.`
            : sentence(message ?? "")}
        </p>
        <p>An admin or owner of the shop can give you a role that has it.</p>
      </div>
    </>
  );
}

/** Nothing is there yet: what it is for, and what to do first. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
      {action}
    </div>
  );
}

/** Return the scope that was missing, or nothing where something else was. */
function scopeOf({ code, message, envelope }: Problem): string {
  if (code !== "insufficient_scope") return "";
  return typeof envelope.required_scope === "string" ? envelope.required_scope : scopeIn(message);
}

function scopeIn(message: string): string {
  return message.match(/[a-z_]+:[a-z]+/)?.[0] ?? "";
}
