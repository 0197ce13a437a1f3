import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Rows } from "../api/loading.ts";
import { More } from "./more.tsx";
import { Shown } from "./state.tsx";

export interface Column<T> {
  title: string;
  cell: (row: T) => ComponentChildren;
  isNumber?: boolean;
  /** The cell that names the row. */
  isName?: boolean;
}

/** So many rows are drawn at once, which fill a window; the others are drawn once these are seen. */
const AT_ONCE = 20;

interface TableProps<T> {
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
}

/** A table that scrolls inside its box where the window is narrow. Its caption is read aloud only. */
export function Table<T>({ caption, columns, rows, keyOf }: TableProps<T>) {
  const [isSeen, setSeen] = useState(rows.length <= AT_ONCE);
  useEffect(() => setSeen(true), []);
  const drawn = isSeen ? rows : rows.slice(0, AT_ONCE);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable with keys
    <section class="box" tabIndex={0} aria-label={caption}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber ? "num" : undefined}>
                {title || <span class="unseen">Actions</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {drawn.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, isNumber, isName }) =>
                isName ? (
                  <th key={title} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={title} class={isNumber ? "num" : undefined}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type ListProps<T> = Omit<TableProps<T>, "rows"> & { of: Rows<T>; empty: ComponentChildren };

/** A list of the API as a table, with its next page behind a button. */
export function List<T>({ of, empty, ...table }: ListProps<T>) {
  return (
    <Shown of={of}>
      {(rows) =>
        rows.length ? (
          <>
            <Table {...table} rows={rows} />
            <More of={of} />
          </>
        ) : (
          empty
        )
      }
    </Shown>
  );
}
