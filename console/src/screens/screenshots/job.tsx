import { useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { Status } from "../../kit/badge.tsx";
import { Page } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { Empty, Shown } from "../../kit/state.tsx";
import { Time } from "../../kit/values.tsx";
import { Verbs } from "../../kit/verbs.tsx";
import { may } from "../../session/session.ts";

type Shot = Schemas["Screenshot"];

const SECONDS = 3;

/** The pictures of one order, as they come. */
export default function Job() {
  const job_id = useRoute().params.job_id ?? "";
  const [isRunning, setRunning] = useState(true);
  const path = { job_id };
  const job = useLoaded(
    async () => {
      const read = await data(api.GET("/screenshots/{job_id}", { params: { path } }));
      setRunning(read.status === "queued" || read.status === "running");
      return read;
    },
    [job_id],
    { every: isRunning ? SECONDS : undefined },
  );
  const experiment_id = job.data?.experiment_id;
  const names = useLoaded(async () => {
    if (!experiment_id) return new Map<string, string>();
    const read = await data(api.GET("/experiments/{experiment_id}", { params: { path: { experiment_id } } }));
    return new Map(read.variations.map(({ id, name }) => [id, name]));
  }, [experiment_id]);
  const cancel = async () => {
    job.replace(await data(api.POST("/screenshots/{job_id}/cancel", { params: { path } })));
    saved({}, "Cancelled: pictures that were taken stay");
    await job.reload();
  };
  return (
    <Shown of={job}>
      {(read) => (
        <Page
          title="Screenshots"
          above={<a href={at("/screenshots")}>Screenshots</a>}
          beside={<Status status={read.status} />}
          lead={
            <>
              Ordered <Time at={read.created_at} />, {read.shots} pictures{isRunning && `, ${read.progress} % done`}
            </>
          }
          actions={isRunning && may("screenshots:write") && <Verbs verbs={[{ label: "Cancel", run: cancel }]} />}
        >
          {isRunning && <progress max={100} value={read.progress} aria-label="Pictures that are taken" />}
          {read.error && <p class="note bad">{read.error}</p>}
          {read.results?.length ? (
            <ul class="pictures">
              {read.results.map((shot) => (
                <Picture key={keyOf(shot)} shot={shot} name={nameOf(shot, names.data)} />
              ))}
            </ul>
          ) : (
            <Empty title={isRunning ? "The first pictures come within a minute" : "No picture was taken"} />
          )}
        </Page>
      )}
    </Shown>
  );
}

function keyOf({ url, variation_id, viewport }: Shot): string {
  return `${url} ${variation_id} ${viewport.width}x${viewport.height}`;
}

function nameOf({ variation_id }: Shot, names: Map<string, string> | null): string {
  return variation_id ? (names?.get(variation_id) ?? "a variation") : "as it is";
}

function Picture({ shot, name }: { shot: Shot; name: string }) {
  const window = `${shot.viewport.width} × ${shot.viewport.height}`;
  return (
    <li>
      {shot.public_url ? (
        <a href={shot.public_url} target="_blank" rel="noreferrer">
          <img src={shot.public_url} alt={`${shot.url}, ${name}, at ${window}`} loading="lazy" />
        </a>
      ) : (
        <p class="note bad">{shot.error ?? "not taken yet"}</p>
      )}
      <p class="soft">
        {name}, {window}
        {shot.truncated && ", cut at the end"}
        <br />
        {shot.url}
      </p>
    </li>
  );
}
