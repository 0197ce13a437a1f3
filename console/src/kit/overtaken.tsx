import type { Doing } from "../api/loading.ts";

/** In a form: another person saved first. What was typed stays, over the newest version. */
export function Overtaken({ doing, reload }: { doing: Doing; reload: () => Promise<void> }) {
  if (doing.problem?.status !== 412) return null;
  const load = async () => {
    await reload();
    doing.forget();
  };
  return (
    <p class="note warn" role="status">
      Someone, or a program, changed this while you typed. Load the newest version: what you typed stays, and you can
      save it over that version.{" "}
      <button type="button" class="link" onClick={() => void load()}>
        Load the newest version
      </button>
    </p>
  );
}
