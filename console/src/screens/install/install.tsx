import { useState } from "preact/hooks";
import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { type Loaded, useLoaded } from "../../api/loading.ts";
import { Badge } from "../../kit/badge.tsx";
import { Copied } from "../../kit/copy.tsx";
import { Page } from "../../kit/page.tsx";
import { Shown } from "../../kit/state.tsx";
import { Ago, Time } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";
import { Check } from "./check.tsx";
import { Pixel } from "./pixel.tsx";

type Installation = Schemas["Installation"];

/** Where a new shop begins: paste the tag, check a page, see the first visit. */
export default function Install() {
  const installation = useLoaded(() => data(api.GET("/settings/install")), [], { every: 10 });
  const domains = useLoaded(() => data(api.GET("/settings/install-domains")), []);
  return (
    <Page
      title="Install check"
      lead="Three steps, once for each shop. After them, every visitor can take part in experiments."
      beside={installation.data && <State of={installation.data} />}
    >
      <Shown of={installation}>
        {(read) => (
          <ol class="steps">
            <Paste of={read} />
            <Verify of={read} loaded={installation} domain={domains.data?.domain} />
            <Seen of={read} origin={domains.data?.storeOrigins[0]} />
          </ol>
        )}
      </Shown>
      <Pixel />
    </Page>
  );
}

function State({ of }: { of: Installation }) {
  if (of.last_seen_at) return <Badge tone="good">visitors arrive</Badge>;
  return of.verified_at ? <Badge tone="warn">installed, no visitor yet</Badge> : <Badge>not installed yet</Badge>;
}

const TITLES: Record<string, string> = {
  bounded: "Wait at most a second (recommended)",
  synchronous: "Wait without a limit",
  asynchronous: "Never wait",
};

function Paste({ of }: { of: Installation }) {
  const [name, setName] = useState(of.tags[0]?.name);
  const tag = of.tags.find((each) => each.name === name) ?? of.tags[0];
  return (
    <li class={of.verified_at ? "done" : undefined}>
      <div class="title">
        <h2>Paste the tag</h2>
      </div>
      <p>
        Put it first into the <code>&lt;head&gt;</code> of every page of the shop: in the theme, the template, or where
        your shop system takes code for the head.
      </p>
      <fieldset class="options">
        <legend class="unseen">How the page waits</legend>
        {of.tags.map((each) => (
          <label key={each.name}>
            <input type="radio" name="tag" checked={each.name === name} onChange={() => setName(each.name)} />
            <strong>{TITLES[each.name] ?? each.name}</strong>
            <small class="soft">{each.when}</small>
          </label>
        ))}
      </fieldset>
      {tag && <Copied text={tag.html} label="Copy the tag" />}
    </li>
  );
}

function Verify({ of, loaded, domain }: { of: Installation; loaded: Loaded<Installation>; domain?: string }) {
  return (
    <li class={of.verified_at ? "done" : undefined}>
      <div class="title">
        <h2>Check a page</h2>
      </div>
      <p>We fetch the page as a browser does, and say what keeps the tag from working, or makes it late.</p>
      {of.verified_at && (
        <p class="soft">
          The last good check: <Time at={of.verified_at} />.
        </p>
      )}
      {may("settings:write") ? (
        <Check domain={domain} onChecked={loaded.reload} />
      ) : (
        <p class="soft">To start a check takes the right to change settings.</p>
      )}
    </li>
  );
}

function Seen({ of, origin }: { of: Installation; origin?: string }) {
  return (
    <li class={of.last_seen_at ? "done" : undefined}>
      <div class="title">
        <h2>See the first visit</h2>
      </div>
      {of.last_seen_at ? (
        <>
          <p>
            Visitors arrive: the last event came <Ago at={of.last_seen_at} />. Everything is ready.
          </p>
          {may("experiments:write") && (
            <p>
              <a class="button primary" href={at("/experiments/new")}>
                Make the first experiment
              </a>
            </p>
          )}
        </>
      ) : (
        <>
          <p>
            {origin ? (
              <a href={origin} target="_blank" rel="noreferrer">
                Open your shop
              </a>
            ) : (
              "Open your shop"
            )}{" "}
            in a tab, and go to another page there. Events take up to a minute; this page looks by itself.
          </p>
          <p class="soft" role="status">
            No event has come yet.
          </p>
        </>
      )}
    </li>
  );
}
