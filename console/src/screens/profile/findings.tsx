import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import type { Loaded } from "../../api/loading.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { saved } from "../../kit/saved.ts";
import { Empty } from "../../kit/state.tsx";
import { attempt } from "../../kit/toast.tsx";
import { Evidence } from "./facts.tsx";
import type { Profile } from "./profile.tsx";

type Finding = Schemas["StoreFinding"];

interface Props {
  profile: Profile;
  of: Loaded<Profile>;
  canWrite: boolean;
}

const TONES: Record<Finding["severity"], Tone> = { critical: "bad", warning: "warn", notice: "plain" };
const ORDER: Finding["status"][] = ["open", "resolved", "dismissed"];

/** Problems of the store, with what to do; open ones first. */
export function Findings({ profile, of, canWrite }: Props) {
  const findings = profile.findings.toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
  const review = (finding: Finding, status: Finding["status"]) =>
    attempt(async () => {
      const params = { path: { finding_id: finding.id }, header: ifMatch(finding) };
      await data(api.PATCH("/store-profile/findings/{finding_id}", { params, body: { status } }));
      await of.reload();
      saved({});
    });
  if (!findings.length) return <Empty title="Nothing to mend" />;
  return (
    <ul class="reviews">
      {findings.map((finding) => (
        <li key={finding.id}>
          <div class="line">
            <Badge tone={finding.status === "open" ? TONES[finding.severity] : "plain"}>
              {finding.status === "open" ? finding.severity : finding.status}
            </Badge>
            <strong>{finding.message}</strong>
            <span class="spring" />
            {canWrite && finding.status === "open" && (
              <>
                <button type="button" onClick={() => void review(finding, "resolved")}>
                  Resolved
                </button>
                <button type="button" onClick={() => void review(finding, "dismissed")}>
                  Dismiss
                </button>
              </>
            )}
            {canWrite && finding.status !== "open" && (
              <button type="button" onClick={() => void review(finding, "open")}>
                Open again
              </button>
            )}
          </div>
          <p class="soft">{finding.what_to_do}</p>
          <Evidence profile={profile} ids={finding.evidence_ids} />
        </li>
      ))}
    </ul>
  );
}
