import { useState } from "preact/hooks";
import { at } from "../../address.ts";
import { api, data, ifMatch } from "../../api/client.ts";
import { type Loaded, useDoing, useLoaded } from "../../api/loading.ts";
import { SelectField } from "../../kit/choices.tsx";
import { Conflict } from "../../kit/edit.tsx";
import { Form } from "../../kit/form.tsx";
import { saved } from "../../kit/saved.ts";
import { Empty, Shown } from "../../kit/state.tsx";
import { Table } from "../../kit/table.tsx";
import { Verbs } from "../../kit/verbs.tsx";
import { may } from "../../session/session.ts";
import { LandingFrame } from "./frame.tsx";
import { type LandingPage, numberOf } from "./words.ts";

interface Props {
  page: LandingPage;
  of: Loaded<LandingPage>;
}

/** The experiment that shows another version of the page to each of its variations. */
export default function Variants() {
  return (
    <LandingFrame current="variants">
      {(page, of) => (
        <>
          <p class="lead">
            An experiment can show another version of this page to a part of its visitors. It takes effect with the next
            publish.
          </p>
          {page.experiment ? (
            <Linked page={page} of={of} experimentId={page.experiment.experiment_id} />
          ) : (
            <None page={page} of={of} />
          )}
        </>
      )}
    </LandingFrame>
  );
}

function useVariations(experiment_id: string) {
  return useLoaded(
    () => data(api.GET("/experiments/{experiment_id}", { params: { path: { experiment_id } } })),
    [experiment_id],
  );
}

function Linked({ page, of, experimentId }: Props & { experimentId: string }) {
  const [isEditing, setEditing] = useState(false);
  const experiment = useVariations(experimentId);
  const detach = async () => {
    const params = { path: { landing_page_id: page.id }, header: ifMatch(page) };
    await data(api.DELETE("/landing-pages/{landing_page_id}/experiment", { params }));
    await of.reload();
    saved({}, "The experiment is removed from the page");
  };
  const versions = page.experiment?.versions ?? {};
  return (
    <Shown of={experiment}>
      {(read) => (
        <>
          <p>
            <a href={at("/experiments", read.id)}>{read.name}</a>
          </p>
          {isEditing ? (
            <LinkForm page={page} of={of} experimentId={experimentId} onDone={() => setEditing(false)} />
          ) : (
            <Table
              caption="Version of each variation"
              rows={read.variations.filter(({ archived_at }) => archived_at === null)}
              keyOf={(row) => row.id}
              columns={[
                { title: "Variation", isName: true, cell: (row) => row.name },
                {
                  title: "Shows",
                  cell: (row) => (versions[row.id] ? numberOf(page, versions[row.id] ?? "") : "no version yet"),
                },
              ]}
            />
          )}
          {may("landing_pages:write") && (
            <p class="tools more">
              <button type="button" onClick={() => setEditing(!isEditing)}>
                {isEditing ? "Close" : "Change the versions"}
              </button>
              <Verbs
                verbs={[
                  {
                    label: "Remove the experiment",
                    tone: "harm",
                    run: detach,
                    ask: <p>Visitors see the variants until the next publish.</p>,
                  },
                ]}
              />
            </p>
          )}
        </>
      )}
    </Shown>
  );
}

function None({ page, of }: Props) {
  const [chosen, setChosen] = useState("");
  const query = { limit: 100, sort: "-updated_at" as const };
  const experiments = useLoaded(() => data(api.GET("/experiments", { params: { query } })), []);
  if (!may("landing_pages:write") || !page.versions.length) {
    return (
      <Empty title="No experiment is on this page">
        {page.versions.length ? (
          <p>Somebody who may change landing pages can put one on it.</p>
        ) : (
          <p>
            Write a version first. <a href={`${at("/landing-pages", page.id)}/write`}>Write a version</a>
          </p>
        )}
      </Empty>
    );
  }
  return (
    <Shown of={experiments}>
      {({ data: known }) => (
        <>
          <select
            class="auto"
            aria-label="Experiment"
            value={chosen}
            onChange={(event) => setChosen(event.currentTarget.value)}
          >
            <option value="">Choose an experiment …</option>
            {known
              .filter(({ status, experiment_type }) => status !== "completed" && experiment_type !== "redirect")
              .map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
          </select>
          {chosen && <LinkForm key={chosen} page={page} of={of} experimentId={chosen} onDone={() => setChosen("")} />}
        </>
      )}
    </Shown>
  );
}

function LinkForm({ page, of, experimentId, onDone }: Props & { experimentId: string; onDone: () => void }) {
  const [versions, setVersions] = useState<Record<string, string>>(page.experiment?.versions ?? {});
  const doing = useDoing();
  const experiment = useVariations(experimentId);
  const link = async () => {
    const params = { path: { landing_page_id: page.id }, header: ifMatch(page) };
    const body = { experiment_id: experimentId, versions };
    await data(api.PUT("/landing-pages/{landing_page_id}/experiment", { params, body }));
    await of.reload();
    saved({}, "Saved: it takes effect with the next publish");
    onDone();
  };
  const options = [
    { value: "", label: "Choose" },
    ...page.versions.map(({ id, version_number }) => ({ value: id, label: `Version ${version_number}` })),
  ];
  return (
    <Shown of={experiment}>
      {(read) => (
        <Form doing={doing} submit="Save" onSubmit={link}>
          {read.variations
            .filter(({ archived_at }) => archived_at === null)
            .map(({ id, name }) => (
              <SelectField
                key={id}
                path={`versions.${id}`}
                label={name}
                required
                value={versions[id] ?? ""}
                options={options}
                onChange={(version) => setVersions({ ...versions, [id]: version })}
              />
            ))}
          <Conflict doing={doing} reload={of.reload} />
        </Form>
      )}
    </Shown>
  );
}
