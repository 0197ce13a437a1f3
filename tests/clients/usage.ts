// What a developer writes with the generated types; tests/e2e/test_generated_clients.py compiles it strictly.
import type { components, paths, webhooks } from "./api";

type Schemas = components["schemas"];
type NewExperiment = paths["/experiments"]["post"]["requestBody"]["content"]["application/json"];
type Started = webhooks["experiment.started"]["post"]["requestBody"]["content"]["application/json"];

export const draft: NewExperiment = {
  name: "Free shipping",
  goals: [{ name: "Add to cart", type: "custom", event_name: "add_to_cart" }],
};

export async function create(base: string, key: string): Promise<Schemas["Experiment"]> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await fetch(`${base}/experiments`, { method: "POST", headers, body: JSON.stringify(draft) });
  if (!answer.ok) {
    const refused = (await answer.json()) as Schemas["ErrorEnvelope"];
    throw new Error(`${refused.error.code}: ${refused.error.message}`);
  }
  return (await answer.json()) as Schemas["Experiment"];
}

export function leader(results: Schemas["Results"]): string | undefined {
  const rows = results.goals[0]?.rows ?? [];
  return [...rows].sort((one, other) => (other.rate ?? 0) - (one.rate ?? 0))[0]?.variation_id;
}

export function describe(event: Started): string {
  return `${event.experiment_name} started at ${event.timestamp}`;
}
