import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import type { Loaded } from "../../api/loading.ts";
import { Badge, inWords, type Tone } from "../../kit/badge.tsx";
import { saved } from "../../kit/saved.ts";
import { Empty } from "../../kit/state.tsx";
import { attempt } from "../../kit/toast.tsx";
import { percent, Time } from "../../kit/values.tsx";
import type { Profile } from "./profile.tsx";

type Fact = Schemas["StoreFact"];

interface Props {
  profile: Profile;
  of: Loaded<Profile>;
  canWrite: boolean;
}

const TONES: Record<Fact["status"], Tone> = { suggested: "warn", confirmed: "good", rejected: "plain" };
const ORDER: Fact["status"][] = ["suggested", "confirmed", "rejected"];

/** Facts with their evidence: those to review come first. */
export function Facts({ profile, of, canWrite }: Props) {
  const facts = profile.facts.toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
  const review = (fact: Fact, status: "confirmed" | "rejected") =>
    attempt(async () => {
      const params = { path: { fact_id: fact.id }, header: ifMatch(fact) };
      await data(api.PATCH("/store-profile/facts/{fact_id}", { params, body: { status } }));
      await of.reload();
      saved({}, status === "confirmed" ? "Confirmed" : "Rejected");
    });
  if (!facts.length) {
    return (
      <Empty title="No fact yet">
        <p>A run reads them from the store's pages. Run it again when the pages say more.</p>
      </Empty>
    );
  }
  return (
    <ul class="reviews">
      {facts.map((fact) => (
        <li key={fact.id}>
          <div class="line">
            <Badge tone={TONES[fact.status]}>{fact.status === "suggested" ? "to review" : fact.status}</Badge>
            <span>
              {inWords(fact.key.replaceAll(".", " "))}: <strong>{fact.value}</strong>
            </span>
            <span class="soft">{percent(fact.confidence, 0)} sure</span>
            <span class="spring" />
            {canWrite && fact.status !== "confirmed" && (
              <button
                type="button"
                aria-label={`Confirm ${fact.key}: ${fact.value}`}
                onClick={() => void review(fact, "confirmed")}
              >
                Confirm
              </button>
            )}
            {canWrite && fact.status !== "rejected" && (
              <button
                type="button"
                aria-label={`Reject ${fact.key}: ${fact.value}`}
                onClick={() => void review(fact, "rejected")}
              >
                Reject
              </button>
            )}
          </div>
          <Evidence profile={profile} ids={fact.evidence_ids} />
        </li>
      ))}
    </ul>
  );
}

/** Where something was read: the quotation, its address, its time. */
export function Evidence({ profile, ids }: { profile: Profile; ids: readonly string[] }) {
  const items = profile.evidence.filter(({ id }) => ids.includes(id));
  if (!items.length) return null;
  return (
    <details>
      <summary>Evidence</summary>
      {items.map(({ id, excerpt, url, fetched_at }) => (
        <figure key={id}>
          <pre class="code">{excerpt}</pre>
          <figcaption class="soft">
            <a href={url} target="_blank" rel="noreferrer">
              {url}
            </a>
            , read <Time at={fetched_at} />
          </figcaption>
        </figure>
      ))}
    </details>
  );
}
