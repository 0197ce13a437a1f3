import type { Schemas } from "../../api/client.ts";
import { Section } from "../../kit/page.tsx";
import { Table } from "../../kit/table.tsx";
import { sizeInWords } from "../../kit/upload.ts";
import { count, percent } from "../../kit/values.tsx";

type Tool = Schemas["StoreTool"];

interface Props {
  profile: Schemas["StoreTechnicalProfile"];
  brand: Schemas["StoreBrandProfile"] | null;
}

/** What the store is made with, and how it looks. */
export function Technical({ profile, brand }: Props) {
  const { snippet } = profile;
  return (
    <Section title="What the store is made with">
      <dl class="facts">
        <dt>Platform</dt>
        <dd>
          {profile.platform ? `${profile.platform.name}, ${percent(profile.platform.confidence, 0)} sure` : "not known"}
        </dd>
        <dt>Languages, currencies</dt>
        <dd>{[...profile.languages, ...profile.currencies].join(", ") || "–"}</dd>
        <dt>Consent</dt>
        <dd>{names(profile.consent_providers)}</dd>
        <dt>Tag managers, analytics</dt>
        <dd>{names([...profile.tag_managers, ...profile.analytics])}</dd>
        <dt>Other testing tools</dt>
        <dd>{names(profile.experiment_tools)}</dd>
        <dt>Frameworks</dt>
        <dd>{names(profile.frameworks)}</dd>
        <dt>Our snippet</dt>
        <dd>
          on {snippet.present_on} of {snippet.pages} pages
          {snippet.problems.map((problem) => (
            <p key={problem} class="soft">
              {problem}
            </p>
          ))}
        </dd>
        {brand && (
          <>
            <dt>Name, fonts</dt>
            <dd>{[brand.name, ...brand.look.fonts.map(({ family }) => family)].filter(Boolean).join(", ") || "–"}</dd>
            <dt>Colours</dt>
            <dd class="colours">
              {brand.look.colours.map(({ value }) => (
                <span key={value}>
                  <svg width="16" height="16" aria-hidden="true">
                    <rect width="16" height="16" rx="3" fill={value} />
                  </svg>{" "}
                  <code>{value}</code>
                </span>
              ))}
            </dd>
          </>
        )}
      </dl>
      {profile.page_weights.length > 0 && (
        <Table
          caption="Weight of pages"
          rows={profile.page_weights}
          keyOf={(row) => row.kind}
          columns={[
            { title: "Kind of page", isName: true, cell: (row) => row.kind },
            { title: "Pages", isNumber: true, cell: (row) => count(row.pages) },
            { title: "HTML", isNumber: true, cell: (row) => sizeInWords(row.bytes) },
            { title: "Scripts", isNumber: true, cell: (row) => count(row.scripts) },
          ]}
        />
      )}
    </Section>
  );
}

function names(tools: readonly Tool[]): string {
  return tools.map(({ name }) => name).join(", ") || "none";
}
