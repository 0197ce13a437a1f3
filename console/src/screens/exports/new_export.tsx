import { useState } from "preact/hooks";
import { api, data, type Schemas } from "../../api/client.ts";
import { useDoing, useLoaded } from "../../api/loading.ts";
import { SelectField } from "../../kit/choices.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { fromInput, toInput } from "../../kit/moments.ts";
import { notify } from "../../kit/toast.tsx";
import { may, shop } from "../../session/session.ts";

type Order = Schemas["ExportCreate"];
type Dataset = Order["dataset"];

export const DATASETS: Record<Dataset, string> = {
  results: "Results of an experiment",
  exposures: "Who saw which variation",
  events: "Events",
  audit: "Changes of the shop",
};

const FORMATS: Record<Order["format"], string> = {
  csv: "CSV, for spreadsheets",
  ndjson: "JSON, one a line",
  parquet: "Parquet, for analysis",
};

const DAY = 86_400_000;
const USUAL_DAYS = 28;

interface NewExportProps {
  experimentId: string;
  dataset: string | undefined;
  onMade: () => Promise<void>;
}

/** Order a file. */
export function NewExport({ experimentId, dataset: wanted, onMade }: NewExportProps) {
  const zone = shop.value?.timezone ?? "UTC";
  const [dataset, setDataset] = useState<Dataset>(wanted && wanted in DATASETS ? (wanted as Dataset) : "events");
  const [format, setFormat] = useState<Order["format"]>("csv");
  const [experiment, setExperiment] = useState(experimentId);
  const [from, setFrom] = useState(() => toInput(new Date(Date.now() - USUAL_DAYS * DAY).toISOString(), zone));
  const [to, setTo] = useState(() => toInput(new Date(Date.now() + 60_000).toISOString(), zone));
  const experiments = useLoaded(readExperiments, []);
  const doing = useDoing();
  const datasets = (Object.keys(DATASETS) as Dataset[]).filter((each) => each !== "audit" || may("audit:read"));
  const formats = (Object.keys(FORMATS) as Order["format"][]).filter(
    (each) => dataset !== "audit" || each !== "parquet",
  );
  const submit = async () => {
    const body: Order = {
      dataset,
      format,
      from: fromInput(from, zone) ?? from,
      to: fromInput(to, zone) ?? to,
      ...(experiment && dataset !== "audit" && { experiment_id: experiment }),
    };
    await data(api.POST("/exports", { body }));
    notify("The file is being made. It appears below.");
    await onMade();
  };
  return (
    <Form doing={doing} onSubmit={submit} submit="Make the file">
      <SelectField
        path="dataset"
        label="What"
        required
        value={dataset}
        onChange={(value) => setDataset(value as Dataset)}
        options={datasets.map((value) => ({ value, label: DATASETS[value] }))}
      />
      {dataset !== "audit" && (
        <SelectField
          path="experiment_id"
          label="Experiment"
          required={dataset === "results"}
          value={experiment}
          onChange={setExperiment}
          options={[
            { value: "", label: dataset === "results" ? "Choose one" : "All" },
            ...(experiments.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ...(experiment && !experiments.data?.some(({ id }) => id === experiment)
              ? [{ value: experiment, label: experiment }]
              : []),
          ]}
        />
      )}
      <TextField path="from" label="From" type="datetime-local" required value={from} onChange={setFrom} />
      <TextField
        path="to"
        label="Until"
        type="datetime-local"
        required
        value={to}
        onChange={setTo}
        hint={`On the clock of ${zone}; at most 92 days.`}
      />
      <SelectField
        path="format"
        label="Format"
        required
        value={format}
        onChange={(value) => setFormat(value as Order["format"])}
        options={formats.map((value) => ({ value, label: FORMATS[value] }))}
      />
    </Form>
  );
}

async function readExperiments(): Promise<{ id: string; name: string }[]> {
  if (!may("experiments:read")) return [];
  const page = await data(api.GET("/experiments", { params: { query: { limit: 100, sort: "-updated_at" } } }));
  return page.data.filter(({ started_at }) => started_at !== null);
}
