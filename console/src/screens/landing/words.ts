import type { Schemas } from "../../api/client.ts";
import type { Option } from "../../kit/choices.tsx";

export type LandingPage = Schemas["LandingPage"];
export type Version = Schemas["LandingPageVersion"];

export const PAGE_TYPES = [
  { value: "landing", label: "Landing page" },
  { value: "advertorial", label: "Advertorial" },
  { value: "listicle", label: "List" },
  { value: "product", label: "Product page" },
  { value: "collection", label: "Collection" },
  { value: "quiz", label: "Quiz" },
  { value: "other", label: "Other" },
] as const;

/** Languages that the few words of the renderer are written in; any other tag may stand in the JSON. */
export const LANGUAGES: readonly Option[] = [
  { value: "da", label: "Danish" },
  { value: "nl", label: "Dutch" },
  { value: "en", label: "English" },
  { value: "fr", label: "French" },
  { value: "de", label: "German" },
  { value: "it", label: "Italian" },
  { value: "pl", label: "Polish" },
  { value: "pt", label: "Portuguese" },
  { value: "es", label: "Spanish" },
  { value: "sv", label: "Swedish" },
];

type Addressed = Pick<LandingPage, "publish_mode" | "publish_host" | "publish_path" | "slug">;

/** Return where a page is, or is going to be. */
export function addressOf({ publish_mode, publish_host, publish_path, slug }: Addressed): string {
  if (publish_mode === "export") return "a file";
  return `${publish_host ?? ""}${publish_path ?? `/${slug}`}`;
}

export interface Check {
  key: string;
  status: "pass" | "warn" | "fail";
  message: string;
}

export interface GateReport {
  checks: Check[];
  passed: boolean | null;
  checked_at: string | null;
}

/** Return the report of a version's checks. */
export function reportOf(version: Version): GateReport {
  const { checks, passed, checked_at } = version.gate_report as Partial<GateReport>;
  return { checks: checks ?? [], passed: passed ?? null, checked_at: checked_at ?? null };
}

const CHECKS: Record<string, string> = {
  html_valid: "The page is valid HTML",
  no_external_script: "No script but the shop's own",
  csp_safe: "A policy that allows nothing else",
  links_resolve: "Links lead somewhere",
  images_have_alt: "Pictures have a description",
  title_and_description: "Title and description for search engines",
  canonical: "The canonical address is its own",
  claims_have_evidence: "Claims have evidence",
  brand_banned_phrases: "No banned phrase",
  size_budget: "Small enough to be fast",
  layout_shift: "Nothing jumps while it loads",
  text_size: "Letters are large enough",
};

/** Return what a check is about. */
export function checkInWords(key: string): string {
  return CHECKS[key] ?? key.replaceAll("_", " ");
}

/** Return a window of a browser in words. */
export function windowInWords({ width, height, touch }: { width: number; height: number; touch?: boolean }): string {
  return `${touch ? "phone" : "desktop"}, ${width} × ${height}`;
}

/** Return the label of a picture, such as 390x844@2-touch, in words. */
export function labelInWords(label: string): string {
  const [, width, height] = /^(\d+)x(\d+)@/.exec(label) ?? [];
  if (!width || !height) return label;
  return windowInWords({ width: Number(width), height: Number(height), touch: label.endsWith("-touch") });
}

/** Return the number of a version of a page. */
export function numberOf(page: LandingPage, versionId: string | null): string {
  const version = page.versions.find(({ id }) => id === versionId);
  return version ? `version ${version.version_number}` : "an older version";
}
