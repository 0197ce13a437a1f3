/** The numbers behind a picture: what its table shows and its CSV file has. */

export type Cell = string | number | null;

export interface SheetColumn {
  title: string;
  /** How the table writes a number; the file has it as it is. */
  text?: (value: number) => string;
}

export interface Sheet {
  columns: readonly SheetColumn[];
  rows: readonly (readonly Cell[])[];
}

const NONE = "–";

/** Return a cell as the table writes it. */
export function cellText(column: SheetColumn, cell: Cell | undefined): string {
  if (cell === null || cell === undefined || cell === "") return NONE;
  return typeof cell === "number" && column.text ? column.text(cell) : String(cell);
}

/** Return whether a column has numbers: it is then aligned at its end. */
export function hasNumbers(sheet: Sheet, column: number): boolean {
  return sheet.rows.some((row) => typeof row[column] === "number");
}

/** Return the sheet as CSV (RFC 4180). Numbers keep all their digits; text that a spreadsheet would run is disarmed. */
export function csv(sheet: Sheet): string {
  const lines = [sheet.columns.map(({ title }) => title), ...sheet.rows];
  return lines.map((cells) => `${cells.map(field).join(",")}\r\n`).join("");
}

function field(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Return a text as the name of a file: letters, digits and hyphens. */
export function fileName(text: string, extension: string): string {
  const plain = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "");
  return `${plain || "numbers"}.${extension}`;
}
