import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Loaded } from "../api/loading.ts";
import type { Problem } from "../api/problems.ts";
import { shop } from "../session/session.ts";

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

/** Say that something is being read, once that takes a while. */
export function Waiting() {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p class="waiting" role="status">
      {isLate && "Loading …"}
    </p>
  );
}

export function Failed({ problem, again }: { problem: Problem; again: () => Promise<void> }) {
  if (problem.status === 403) return <Refused scope={scopeIn(problem.message)} message={problem.message} />;
  return (
    <div class="failed" role="alert">
      <h2>{problem.status === 404 ? "This does not exist, or not in this shop" : "This could not be read"}</h2>
      <p>{problem.message}</p>
      {problem.requestId && <p class="soft">Request {problem.requestId}</p>}
      <button type="button" onClick={() => void again()}>
        Try again
      </button>
    </div>
  );
}

function Stale({ problem, again }: { problem: Problem; again: () => Promise<void> }) {
  return (
    <p class="note warn" role="status">
      What you see may be out of date: {problem.message}{" "}
      <button type="button" class="link" onClick={() => void again()}>
        Try again
      </button>
    </p>
  );
}

/** Say which scope is missing, and who can give it. */
export function Refused({ scope, message }: { scope: string; message?: string }) {
  return (
    <div class="failed">
      <h1>You may not see this</h1>
      <p>
        {message ??
          (scope && `It takes the scope ${scope}, which you do not have in ${shop.value?.name ?? "this shop"}.`)}
      </p>
      <p>An admin or owner of the shop can give you a role that has it.</p>
    </div>
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

function scopeIn(message: string): string {
  return message.match(/[a-z_]+:[a-z]+/)?.[0] ?? "";
}
