import { api, data, type Schemas } from "../../api/client.ts";
import { type Loaded, useLoaded } from "../../api/loading.ts";
import { inWords } from "../../kit/badge.tsx";
import { ManyField } from "../../kit/choices.tsx";
import { TextField } from "../../kit/form.tsx";

export type EventName = Schemas["WebhookCreate"]["events"][number];
type Event = Schemas["WebhookEvent"];

export interface Fields {
  url: string;
  events: string[];
}

/** Read the events that can be subscribed to. */
export function useEvents(): Loaded<Event[]> {
  return useLoaded(
    async () => (await data(api.GET("/webhook-events", { params: { query: { limit: 100 } } }))).data,
    [],
  );
}

/** Return an event's name as a person reads it: `experiment.guardian_paused` as "experiment guardian paused". */
export function eventWords(event: string): string {
  return inWords(event.replaceAll(".", " "));
}

/** The address and the events of a webhook. */
export function WebhookFields({
  events,
  draft,
  set,
}: {
  events: readonly Event[];
  draft: Fields;
  set: (part: Partial<Fields>) => void;
}) {
  const all = events.map(({ event }) => event);
  const isAll = all.every((name) => draft.events.includes(name));
  return (
    <>
      <TextField
        path="url"
        label="Address of your server"
        type="url"
        value={draft.url}
        onChange={(url) => set({ url })}
        placeholder="https://shop.example/hooks/experiments"
        maxLength={2048}
        required
        hint="It starts with https:// and is reachable from the internet."
      />
      <ManyField
        path="events"
        label="Tell it when"
        value={draft.events}
        onChange={(chosen) => set({ events: all.filter((name) => chosen.includes(name)) })}
        options={events.map(({ event, description }) => ({ value: event, label: description, hint: event }))}
      />
      <p>
        <button type="button" class="link" onClick={() => set({ events: isAll ? [] : all })}>
          {isAll ? "Choose none" : "Choose all"}
        </button>
      </p>
    </>
  );
}
