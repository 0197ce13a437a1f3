import { inWords } from "./badge.tsx";
import { Table } from "./table.tsx";

/** One field of a change: what it was and what it is. */
export interface FieldChange {
  field: string;
  before: unknown;
  after: unknown;
}

/** Return the fields of an audited diff `{field: [before, after]}`, by name. */
export function changesIn(diff: unknown): FieldChange[] {
  if (typeof diff !== "object" || diff === null) return [];
  return Object.entries(diff)
    .flatMap(([field, pair]): FieldChange[] =>
      Array.isArray(pair) ? [{ field, before: pair[0] ?? null, after: pair[1] ?? null }] : [],
    )
    .sort((one, other) => (one.field < other.field ? -1 : 1));
}

/** Return the changes of several diffs as one, newest diff first: the oldest value before, and the newest after. */
export function together(diffs: readonly unknown[]): FieldChange[] {
  const all = new Map<string, FieldChange>();
  for (const diff of diffs) {
    for (const change of changesIn(diff)) {
      const newer = all.get(change.field);
      all.set(change.field, newer ? { ...newer, before: change.before } : change);
    }
  }
  const isKept = ({ before, after }: FieldChange) => JSON.stringify(before) !== JSON.stringify(after);
  return [...all.values()].filter(isKept).sort((one, other) => (one.field < other.field ? -1 : 1));
}

/** Return the name of a field for people; ids inside become the names of what they name. */
export function fieldInWords(field: string, names: ReadonlyMap<string, string>): string {
  const parts = field.split(".").map((part) => names.get(part) ?? inWords(part));
  // "variations" and "goals" say nothing that the name behind them does not.
  const isNamed = parts.length > 1 && names.has(field.split(".")[1] ?? "");
  return (isNamed ? parts.slice(1) : parts).join(" · ");
}

interface DiffProps {
  changes: readonly FieldChange[];
  caption: string;
  /** Names of what ids in field names stand for. */
  names?: ReadonlyMap<string, string>;
}

/** Fields before and after; lines of longer texts are compared one by one. */
export function Diff({ changes, caption, names = new Map() }: DiffProps) {
  const isNew = changes.every(({ before }) => before === null);
  const after = { title: isNew ? "Value" : "After", cell: (row: FieldChange) => <Side of={row} is="after" /> };
  return (
    <Table
      caption={caption}
      keyOf={({ field }) => field}
      rows={changes}
      columns={[
        { title: "Field", isName: true, cell: ({ field }) => fieldInWords(field, names) },
        ...(isNew ? [] : [{ title: "Before", cell: (row: FieldChange) => <Side of={row} is="before" /> }]),
        after,
      ]}
    />
  );
}

function Side({ of, is }: { of: FieldChange; is: "before" | "after" }) {
  const text = valueInWords(of[is]);
  const other = valueInWords(of[is === "before" ? "after" : "before"]);
  if (!text.includes("\n")) return <span class="value">{text}</span>;
  const theirs = new Set(other.split("\n"));
  return (
    <pre class="code">
      {text.split("\n").map((line, index) => (
        <Line key={index} text={line} is={theirs.has(line) ? null : is} />
      ))}
    </pre>
  );
}

function Line({ text, is }: { text: string; is: "before" | "after" | null }) {
  if (is === "before") return <del>{`- ${text}\n`}</del>;
  return is === "after" ? <ins>{`+ ${text}\n`}</ins> : <span>{`  ${text}\n`}</span>;
}

/** Return a value for people: texts as they are, objects as JSON with a line for each name. */
export function valueInWords(value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (isFingerprint(value)) return `${value.length} characters (${value.sha256.slice(0, SHOWN_DIGITS)}…)`;
  if (typeof value === "object") return Object.keys(value).length ? JSON.stringify(value, null, 2) : "none";
  return String(value);
}

const SHOWN_DIGITS = 8;

/** Code and long values are kept as their length and hash. */
function isFingerprint(value: unknown): value is { length: number; sha256: string } {
  if (typeof value !== "object" || value === null || Object.keys(value).length !== 2) return false;
  const { length, sha256 } = value as Record<string, unknown>;
  return typeof length === "number" && typeof sha256 === "string";
}
