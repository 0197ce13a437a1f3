import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import type { Experiment } from "./open.ts";

/** What a verb may be sent with; each takes its own part. */
export interface Words {
  launch?: Schemas["LaunchOptions"];
  complete?: Schemas["CompletionOptions"];
  approval?: Schemas["ApprovalRequest"];
  grant?: Schemas["ApprovalGrant"];
  changes?: Schemas["ChangeRequest"];
  schedule?: Schemas["ScheduleInput"];
  ship?: Schemas["ShipRequest"];
  duplicate?: Schemas["DuplicationOptions"];
  /** Kept in the history. */
  reason?: Schemas["ActionReason"];
}

/** Run a verb on the version of the experiment that was read. Rejects with a Problem. */
export function run(action: string, experiment: Experiment, words: Words = {}): Promise<unknown> {
  const path = { experiment_id: experiment.id };
  const params = { path, header: ifMatch(experiment) };
  switch (action) {
    case "launch":
      return data(api.POST("/experiments/{experiment_id}/launch", { params, body: words.launch ?? {} }));
    case "pause":
      return data(api.POST("/experiments/{experiment_id}/pause", { params, body: words.reason ?? {} }));
    case "resume":
      return data(api.POST("/experiments/{experiment_id}/resume", { params }));
    case "restart":
      return data(api.POST("/experiments/{experiment_id}/restart", { params }));
    case "complete":
      return data(api.POST("/experiments/{experiment_id}/complete", { params, body: words.complete ?? {} }));
    case "ship":
      return data(api.POST("/experiments/{experiment_id}/ship", { params: { path }, body: needed(words.ship) }));
    case "schedule":
      return data(api.PUT("/experiments/{experiment_id}/schedule", { params, body: needed(words.schedule) }));
    case "clear-schedule":
      return data(api.DELETE("/experiments/{experiment_id}/schedule", { params }));
    case "start-qa":
      return data(api.POST("/experiments/{experiment_id}/start-qa", { params }));
    case "mark-ready":
      return data(api.POST("/experiments/{experiment_id}/mark-ready", { params }));
    case "request-approval":
      return data(api.POST("/experiments/{experiment_id}/request-approval", { params, body: words.approval ?? {} }));
    case "approve":
      return data(api.POST("/experiments/{experiment_id}/approve", { params, body: words.grant ?? {} }));
    case "request-changes":
      return data(api.POST("/experiments/{experiment_id}/request-changes", { params, body: needed(words.changes) }));
    case "withdraw-approval":
      return data(api.POST("/experiments/{experiment_id}/withdraw-approval", { params, body: words.reason ?? {} }));
    case "return-to-draft":
      return data(api.POST("/experiments/{experiment_id}/return-to-draft", { params, body: words.reason ?? {} }));
    case "retry-publication":
      return data(api.POST("/experiments/{experiment_id}/retry-publication", { params: { path } }));
    case "duplicate":
      return data(
        api.POST("/experiments/{experiment_id}/duplicate", { params: { path }, body: words.duplicate ?? {} }),
      );
    case "archive":
      return data(api.POST("/experiments/{experiment_id}/archive", { params }));
    case "unarchive":
      return data(api.POST("/experiments/{experiment_id}/unarchive", { params }));
    case "delete":
      return data(api.DELETE("/experiments/{experiment_id}", { params }));
    default:
      throw new Error(`There is no verb ${action}.`);
  }
}

function needed<T>(words: T | undefined): T {
  if (words === undefined) throw new Error("Words of the verb are missing.");
  return words;
}
