import { api, data, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { Shown } from "../../kit/state.tsx";
import type { Experiment } from "./open.ts";

type Picture = Schemas["Screenshot"];

const RENEWED_SECONDS = 10;

/** The page before and after: without the experiment, and with each variation. */
export function Pictures({ jobId, experiment }: { jobId: string; experiment: Experiment }) {
  const job = useLoaded(
    () => data(api.GET("/screenshots/{job_id}", { params: { path: { job_id: jobId } } })),
    [jobId],
    { every: RENEWED_SECONDS },
  );
  return (
    <Shown of={job}>
      {({ status, results, error }) => (
        <>
          {(status === "queued" || status === "running") && <p role="status">The pictures are being taken …</p>}
          {status === "failed" && (
            <p class="note warn">There are no pictures: {error ?? "the page could not be opened"}.</p>
          )}
          {status === "completed" && <p class="soft">A picture opens as a whole with a click.</p>}
          {groupsOf(status === "failed" ? [] : (results ?? [])).map(([title, pictures]) => (
            <section key={title}>
              <h3>{title}</h3>
              <div class="before-after">
                {pictures.map((picture) => (
                  <Shot key={picture.variation_id ?? "none"} picture={picture} experiment={experiment} />
                ))}
              </div>
            </section>
          ))}
        </>
      )}
    </Shown>
  );
}

/** Return the pictures by page and window, those without the experiment first. */
function groupsOf(pictures: readonly Picture[]): [string, Picture[]][] {
  const groups = new Map<string, Picture[]>();
  for (const picture of pictures) {
    const title = `${picture.url}, ${picture.viewport.width} pixels wide`;
    groups.set(title, [...(groups.get(title) ?? []), picture]);
  }
  return [...groups].map(([title, shots]) => [
    title,
    shots.sort((one, other) => Number(one.variation_id !== null) - Number(other.variation_id !== null)),
  ]);
}

function Shot({ picture, experiment }: { picture: Picture; experiment: Experiment }) {
  const name = picture.variation_id
    ? (experiment.variations.find(({ id }) => id === picture.variation_id)?.name ?? "A variation that is gone")
    : "Today, without the experiment";
  return (
    <figure>
      <figcaption>{name}</figcaption>
      {picture.public_url ? (
        <a href={picture.public_url} target="_blank" rel="noreferrer">
          <img src={picture.public_url} alt={`${name}: ${picture.url}`} loading="lazy" />
        </a>
      ) : (
        <p class="soft">No picture: {picture.error ?? "not taken yet"}.</p>
      )}
    </figure>
  );
}
