import { useState } from "preact/hooks";
import { at } from "../../address.ts";
import { api, data, shopId } from "../../api/client.ts";
import { Problem } from "../../api/problems.ts";
import { attempt, notify } from "../../kit/toast.tsx";
import { fileName } from "../../plots/sheet.ts";
import type { Report } from "./wording.ts";

const POLL_MS = 1000;
const MOST_POLLS = 90;

/** Count now, save the report, order a file of the numbers. */
export function Actions({ report, reload }: { report: Report; reload: () => Promise<void> }) {
  const [isCounting, setCounting] = useState(false);
  const { experiment } = report;
  const count = async () => {
    setCounting(true);
    await attempt(() => refreshed(experiment.id));
    setCounting(false);
    await reload();
  };
  return (
    <>
      {experiment.started_at && (
        <button type="button" disabled={isCounting} onClick={() => void count()}>
          {isCounting ? "Counting …" : "Count now"}
        </button>
      )}
      <button type="button" onClick={() => void attempt(() => saveReport(report))}>
        Save report
      </button>
      <a class="button" href={`${at("/exports")}?experiment=${encodeURIComponent(experiment.id)}&dataset=results`}>
        Export
      </a>
    </>
  );
}

/** Ask for a count and wait for its end. Rejects with a Problem. */
async function refreshed(experimentId: string): Promise<void> {
  const path = { experiment_id: experimentId };
  const { job_id } = await data(api.POST("/experiments/{experiment_id}/results/refresh", { params: { path } }));
  for (let polls = 0; polls < MOST_POLLS; polls++) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const job = await data(
      api.GET("/experiments/{experiment_id}/results/refresh/{job_id}", { params: { path: { ...path, job_id } } }),
    );
    if (job.status === "completed") return notify("The numbers are counted.");
    if (job.status === "failed" || job.status === "cancelled")
      throw new Problem({
        status: -1,
        code: job.status,
        message: job.error ?? "The count did not succeed. Try again.",
      });
  }
  notify("The count takes longer than usual. The numbers renew themselves when it is done.");
}

/** Save the report as one page: it can be printed, sent, and opened without the service. */
async function saveReport({ experiment }: Report): Promise<void> {
  const address = `/api/v1/experiments/${encodeURIComponent(experiment.id)}/report?format=html`;
  const response = await fetch(address, { headers: { "X-Svc-Shop": shopId.value }, credentials: "same-origin" });
  if (!response.ok)
    throw new Problem({ status: response.status, code: "report", message: "The report could not be read. Try again." });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = fileName(`report ${experiment.public_id ?? experiment.name}`, "html");
  link.click();
  URL.revokeObjectURL(link.href);
}
