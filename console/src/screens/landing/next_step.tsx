import { at } from "../../address.ts";
import { type LandingPage, numberOf } from "./words.ts";

/** What stands between the current version and visitors, and where it is done. */
export function NextStep({ page }: { page: LandingPage }) {
  const version = page.current_version_id;
  if (!version || page.status === "archived" || page.published_version_id === version) return null;
  const base = at("/landing-pages", page.id);
  const name = numberOf(page, version);
  const checks = <a href={`${base}/qa`}>Checks</a>;
  const states = new Set(page.qa_runs.filter(({ version_id }) => version_id === version).map(({ status }) => status));
  if (states.has("approved")) {
    return (
      <Step>
        {capital(name)} is approved. Put it online under <a href={`${base}/publishes`}>Publishing</a>.
      </Step>
    );
  }
  if (states.has("passed")) {
    return (
      <Step>
        {capital(name)} passed. Look at its pictures under {checks}, and approve it; then it can be published.
      </Step>
    );
  }
  if (states.has("queued") || states.has("running")) return <Step>{capital(name)} is being checked.</Step>;
  if (states.has("failed")) {
    return (
      <Step>
        {capital(name)} did not pass: {checks} say what to change in the <a href={`${base}/write`}>next version</a>.
      </Step>
    );
  }
  return (
    <Step>
      Before visitors see {name}, it is checked in a browser, and you approve its pictures: begin under {checks}.
    </Step>
  );
}

function Step({ children }: { children: preact.ComponentChildren }) {
  return (
    <p class="note" role="status">
      <strong>Next step</strong> {children}
    </p>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
