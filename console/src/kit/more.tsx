import { type Rows, useDoing } from "../api/loading.ts";

/** The next page of a list, behind a button. Nothing where there is none. */
export function More<T>({ of }: { of: Rows<T> }) {
  const doing = useDoing();
  if (!of.hasMore) return null;
  return (
    <p class="more">
      <button type="button" disabled={doing.isBusy} onClick={() => void doing.run(of.more)}>
        Show more
      </button>
      {doing.problem && <span role="alert">{doing.problem.message}</span>}
    </p>
  );
}
