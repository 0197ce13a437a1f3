import { useState } from "preact/hooks";
import { at } from "../../address.ts";
import { api, data, ifMatch } from "../../api/client.ts";
import type { Loaded } from "../../api/loading.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { asJson } from "../../kit/json.tsx";
import { Section } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { Empty } from "../../kit/state.tsx";
import { Table } from "../../kit/table.tsx";
import { Ago, count } from "../../kit/values.tsx";
import { Verbs } from "../../kit/verbs.tsx";
import { may } from "../../session/session.ts";
import type { Content } from "./content.ts";
import { LandingFrame } from "./frame.tsx";
import { Preview } from "./preview.tsx";
import { type Check, checkInWords, type LandingPage, reportOf, type Version } from "./words.ts";

/** The versions of a landing page, each with its checks. */
export default function Versions() {
  return (
    <LandingFrame current="versions">
      {(page, of) =>
        page.versions.length ? (
          page.versions.map((version) => <VersionSection key={version.id} page={page} of={of} version={version} />)
        ) : (
          <Empty
            title="No version yet"
            action={
              may("landing_pages:write") && (
                <a class="button primary" href={`${at("/landing-pages", page.id)}/write`}>
                  Write the first one
                </a>
              )
            }
          >
            <p>A version is the content of the page. It never changes: a change is the next version.</p>
          </Empty>
        )
      }
    </LandingFrame>
  );
}

/** When the report of a check is read again: links answer within ten seconds, or not. */
const REPORT_AFTER_SECONDS = [2, 6, 15];

interface VersionProps {
  page: LandingPage;
  of: Loaded<LandingPage>;
  version: Version;
}

function VersionSection({ page, of, version }: VersionProps) {
  const isCurrent = version.id === page.current_version_id;
  const [isOpen, setOpen] = useState(isCurrent);
  const report = reportOf(version);
  const seo = version.seo_manifest as { title?: string; description?: string };
  const failed = report.checks.filter(({ status }) => status === "fail").length;
  return (
    <Section
      title={`Version ${version.version_number}`}
      lead={
        <>
          {isCurrent && <Badge>current</Badge>}{" "}
          {version.id === page.published_version_id && <Badge tone="good">online</Badge>}{" "}
          {failed > 0 ? <Badge tone="bad">{failed} failed</Badge> : <Badge tone="good">checks passed</Badge>}{" "}
          <Ago at={version.created_at} />
        </>
      }
      actions={
        <>
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Less" : "More"}
          </button>
          {may("landing_pages:write") && <VersionVerbs page={page} of={of} version={version} isCurrent={isCurrent} />}
        </>
      }
    >
      {isOpen && (
        <>
          <dl class="facts">
            <dt>Title</dt>
            <dd>{seo.title ?? "–"}</dd>
            <dt>Description</dt>
            <dd>{seo.description ?? "–"}</dd>
            <dt>Size</dt>
            <dd>{count((version.render_manifest as { bytes?: number }).bytes)} bytes of HTML</dd>
          </dl>
          <Checks checks={report.checks} />
          <Claims claims={version.claims as Claim[]} />
          <details>
            <summary>Content as JSON</summary>
            <pre class="code">{asJson(version.spec)}</pre>
          </details>
        </>
      )}
    </Section>
  );
}

function VersionVerbs({ page, of, version, isCurrent }: VersionProps & { isCurrent: boolean }) {
  const [isLooking, setLooking] = useState(false);
  const path = { landing_page_id: page.id, version: version.id };
  const check = async () => {
    const url = "/landing-pages/{landing_page_id}/versions/{version}/render";
    await data(api.POST(url, { params: { path } }));
    saved({}, "Links are being checked: the report follows within seconds");
    for (const seconds of REPORT_AFTER_SECONDS) setTimeout(() => void of.reload(), seconds * 1000);
  };
  const restore = async () => {
    const params = { path, header: ifMatch(page) };
    await data(api.POST("/landing-pages/{landing_page_id}/versions/{version}/restore", { params }));
    await of.reload();
    saved({}, `Version ${version.version_number} is the current one`);
  };
  return (
    <>
      <a class="button" href={`${at("/landing-pages", page.id)}/write?from=${version.version_number}`}>
        Write from this
      </a>
      <button type="button" onClick={() => setLooking(true)}>
        Look at it
      </button>
      {isLooking && (
        <Dialog title={`Version ${version.version_number}`} isWide onClose={() => setLooking(false)}>
          <Preview pageId={page.id} content={version.spec as unknown as Content} seo={version.seo_manifest} at="" />
        </Dialog>
      )}
      <Verbs
        verbs={[
          { label: "Check again", run: check },
          !isCurrent && {
            label: "Make current",
            run: restore,
            ask: <p>The next publish shows this version. What is online now stays online until then.</p>,
          },
        ]}
      />
    </>
  );
}

const TONES: Record<Check["status"], Tone> = { pass: "good", warn: "warn", fail: "bad" };
const STATES: Record<Check["status"], string> = { pass: "passed", warn: "warning", fail: "failed" };

/** The checks of a version, worst first. */
export function Checks({ checks }: { checks: readonly Check[] }) {
  const order = ["fail", "warn", "pass"];
  const sorted = checks.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  return (
    <ul class="checks">
      {sorted.map(({ key, status, message }) => (
        <li key={key}>
          <Badge tone={TONES[status]}>{STATES[status]}</Badge> {checkInWords(key)}
          {message && <p class="soft">{message}</p>}
        </li>
      ))}
    </ul>
  );
}

interface Claim {
  text: string;
  status: string;
  evidence_ref?: string | null;
}

function Claims({ claims }: { claims: readonly Claim[] }) {
  if (!claims.length) return null;
  return (
    <Table
      caption="Claims"
      rows={claims}
      keyOf={(row) => row.text}
      columns={[
        { title: "Claim", isName: true, cell: (row) => row.text },
        { title: "Evidence", cell: (row) => row.evidence_ref ?? "–" },
        {
          title: "State",
          cell: (row) => <Badge tone={row.status === "unsupported" ? "bad" : "plain"}>{row.status}</Badge>,
        },
      ]}
    />
  );
}
