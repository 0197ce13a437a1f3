import { useRef } from "preact/hooks";
import type { FieldProblem, Problem } from "../api/problems.ts";
import { useMessages } from "./form.tsx";
import { JsonField } from "./json.tsx";
import { lineOf } from "./json_lines.ts";

interface Props {
  path: string;
  label: string;
  hint?: string;
  value: string;
  onChange: (text: string) => void;
  rows?: number;
  /** The problem of the form: its fields below `path` become lines. */
  problem: Problem | null;
}

/** A document as JSON text. What the API says about its parts stands below, each with its line. */
export function DocumentField({ path, problem, rows = 24, ...field }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const inside = (problem?.fields ?? []).filter(
    (each) => each.path.startsWith(`${path}.`) || each.path.startsWith(`${path}[`),
  );
  const go = (line: number) => {
    const area = box.current?.querySelector("textarea");
    if (!area) return;
    const lines = area.value.split("\n");
    const from = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    area.focus();
    area.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
    area.scrollTop = Math.max(0, (line - 4) * (area.scrollHeight / lines.length));
  };
  return (
    <div ref={box} class="document">
      <JsonField path={path} required rows={rows} {...field} />
      {inside.length > 0 && (
        <ul class="lines">
          {inside.map((each) => (
            <Said
              key={each.path + each.message}
              field={each}
              line={lineOf(field.value, each.path.slice(path.length))}
              name={each.path.slice(path.length).replace(/^\./, "")}
              onGo={go}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

interface SaidProps {
  field: FieldProblem;
  line: number | null;
  name: string;
  onGo: (line: number) => void;
}

function Said({ field, line, name, onGo }: SaidProps) {
  useMessages(field.path);
  return (
    <li class="message">
      {line !== null && (
        <>
          <button type="button" class="link" onClick={() => onGo(line)}>
            Line {line}
          </button>
          ,{" "}
        </>
      )}
      <code>{name}</code>: {field.message}
    </li>
  );
}
