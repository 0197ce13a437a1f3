import { useEffect, useState } from "preact/hooks";
import { api, data, type Schemas } from "../api/client.ts";
import type { Doing } from "../api/loading.ts";
import { Dialog } from "../kit/dialog.tsx";
import { inShort } from "./changes.ts";
import { partsOf } from "./draft.ts";

type Variation = Schemas["Variation"];

interface ConflictProps {
  saving: Doing;
  path: { experiment_id: string; variation_id: string };
  onMine: (theirs: Variation) => void;
  onTheirs: (theirs: Variation) => void;
}

/** What went wrong with saving. Where another window saved first, both are shown, and one is chosen. */
export function Conflict({ saving, path, onMine, onTheirs }: ConflictProps) {
  const { problem } = saving;
  const [theirs, setTheirs] = useState<Variation | null>(null);
  const isConflict = problem?.status === 412;
  useEffect(() => {
    setTheirs(null);
    if (!isConflict) return;
    const answer = api.GET("/experiments/{experiment_id}/variations/{variation_id}", { params: { path } });
    void data(answer).then(setTheirs, () => {});
  }, [isConflict, path.variation_id]);
  if (!problem) return null;
  if (!isConflict || !theirs) {
    return (
      <div class="note bad editor-note" role="alert">
        <p>{problem.message}</p>
        <ul>
          {problem.fields.map((field) => (
            <li key={field.path + field.message}>
              <code>{field.path}</code>: {field.message}
            </li>
          ))}
        </ul>
        <button type="button" onClick={saving.forget}>
          Close
        </button>
      </div>
    );
  }
  return (
    <Dialog title="This variation was saved elsewhere" onClose={saving.forget}>
      <p>Another person, or another window, saved it since you opened it. Their changes:</p>
      <ul class="plain">
        {partsOf(theirs).flatMap(({ name, mutations }) =>
          mutations.map((mutation, index) => (
            <li key={`${name}-${index}`}>
              <code>{mutation.selector}</code> {inShort(mutation)}
            </li>
          )),
        )}
      </ul>
      <p class="buttons">
        <button type="button" class="primary" onClick={() => onTheirs(theirs)}>
          Load theirs, drop mine
        </button>
        <button type="button" onClick={() => onMine(theirs)}>
          Save mine in its place
        </button>
      </p>
    </Dialog>
  );
}
