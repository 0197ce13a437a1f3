import { Problem } from "../api/problems.ts";
import { CodeField } from "./code_field.tsx";
import type { FieldProps } from "./form.tsx";

interface JsonProps extends FieldProps {
  value: string;
  onChange: (text: string) => void;
  rows?: number;
}

/** A value as JSON text; `readJson` reads it when the form is sent. */
export function JsonField({ rows = 6, ...field }: JsonProps) {
  return (
    <div class="json">
      <CodeField {...field} language="json" rows={rows} />
    </div>
  );
}

/** Return a value as JSON text. */
export function asJson(value: unknown): string {
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}

/** Read JSON text. Throws a Problem with the line at the path of its field. */
export function readJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const message = `This is not JSON${placeOf(text, thrown)}. Texts stand in double quotes, "like this", and a comma stands between two entries.`;
    throw new Problem({ status: -1, code: "json", message: "Nothing was sent.", fields: [{ path, message }] });
  }
}

function placeOf(text: string, thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : "";
  const position = /position (\d+)/.exec(message)?.[1];
  if (position === undefined) return text.trim() ? "" : ": it is empty";
  const before = text.slice(0, Number(position)).split("\n");
  return ` at line ${before.length}, character ${(before.at(-1) ?? "").length + 1}`;
}
