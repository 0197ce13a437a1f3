import type { ComponentChildren } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { asProblem } from "../api/problems.ts";
import { Failed } from "./state.tsx";

/** A screen with a fault of its own says so in its place; the frame around it goes on. */
export function Guard({ children }: { children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary();
  return <>{error ? <Failed problem={asProblem(error)} again={async () => reset()} /> : children}</>;
}

/** What is shown where a screen's file is gone: a newer release took its place while this page was open. */
export function Outdated() {
  return (
    <div class="failed" role="alert">
      <h1>This page is of an earlier release</h1>
      <p>Load it again to go on. What you typed in other tabs is not touched.</p>
      <button type="button" onClick={() => location.reload()}>
        Load the page again
      </button>
    </div>
  );
}
