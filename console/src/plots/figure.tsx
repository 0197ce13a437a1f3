import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { cellText, csv, fileName, hasNumbers, type Sheet } from "./sheet.ts";

interface FigureProps {
  title: string;
  /** What is measured, in the same line. */
  note?: ComponentChildren;
  lead?: ComponentChildren;
  sheet: Sheet;
  /** The name of the CSV file without its extension; the title where absent. */
  file?: string;
  /** False where the heading above says the same: the title is then read aloud only. */
  isTitled?: boolean;
  children: ComponentChildren;
}

/** A picture with its title, its numbers as a table behind a button, and as a file. */
export function Figure({ title, note, lead, sheet, file, isTitled = true, children }: FigureProps) {
  const [isTable, setTable] = useState(false);
  const id = useId();
  const save = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([csv(sheet)], { type: "text/csv" }));
    link.download = fileName(file ?? title, "csv");
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <figure class="picture" aria-labelledby={id}>
      <figcaption class="caption">
        <h3 id={id}>
          <span class={isTitled ? undefined : "unseen"}>{title}</span> {note && <small>{note}</small>}
        </h3>
        <span class="picture-tools">
          <button
            type="button"
            class="link"
            aria-pressed={isTable}
            aria-label={`${title}: show as a table`}
            onClick={() => setTable(!isTable)}
          >
            {isTable ? "Hide the table" : "Show as a table"}
          </button>
          <button type="button" class="link" aria-label={`${title}: download CSV`} onClick={save}>
            CSV
          </button>
        </span>
      </figcaption>
      {lead && <p class="lead">{lead}</p>}
      {children}
      {isTable && <SheetTable caption={title} sheet={sheet} />}
    </figure>
  );
}

function SheetTable({ caption, sheet }: { caption: string; sheet: Sheet }) {
  const kinds = sheet.columns.map((_, index) => (hasNumbers(sheet, index) ? "num" : undefined));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable with keys
    <section class="box tall" tabIndex={0} aria-label={`Table: ${caption}`}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {sheet.columns.map((column, index) => (
              <th key={column.title} scope="col" class={kinds[index]}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sheet.rows.map((row, number) => (
            <tr key={number}>
              {sheet.columns.map((column, index) => (
                <td key={column.title} class={kinds[index]}>
                  {cellText(column, row[index])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
