import { useState } from "preact/hooks";
import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { Code } from "../../kit/code.tsx";
import { Section } from "../../kit/page.tsx";
import { count, Time } from "../../kit/values.tsx";
import { check, type Verdict } from "./proof.ts";

interface Checked {
  proof: Schemas["AuditProof"];
  verdict: Verdict;
}

/** Prove, in this browser, that a row is as it was when its day was sealed. */
export function ProofOf({ id }: { id: string }) {
  const doing = useDoing();
  const [checked, setChecked] = useState<Checked | null>(null);
  const prove = async () => {
    const params = { path: { audit_log_id: id } };
    const proof = await data(api.GET("/audit-logs/{audit_log_id}/proof", { params }));
    setChecked({ proof, verdict: await check(proof) });
  };
  return (
    <Section
      title="Proof"
      lead="Your browser hashes the row, and follows its path to the root of the seal. Nothing has to be believed but the seal."
    >
      {checked ? (
        <Outcome of={checked} />
      ) : (
        <button type="button" disabled={doing.isBusy} onClick={() => void doing.run(prove)}>
          Check the proof
        </button>
      )}
      {doing.problem && (
        <p class="note" role="status">
          {doing.problem.status === 409
            ? "This change is not sealed yet: that happens at night, at 02:00 UTC."
            : doing.problem.message}
        </p>
      )}
    </Section>
  );
}

function Outcome({ of: { proof, verdict } }: { of: Checked }) {
  const { seal } = proof;
  return (
    <>
      <p class={verdict.isProven ? "note good" : "note bad"} role="status">
        {verdict.isProven
          ? `Proven: the row is as it was sealed, by ${count(verdict.steps)} steps to the root of ${count(seal.size)} rows.`
          : `Not proven. ${verdict.problem}`}
      </p>
      <dl class="facts">
        <dt>Sealed</dt>
        <dd>
          <Time at={seal.sealed_at} />, the day {seal.date}
        </dd>
        <dt>Root</dt>
        <dd>
          <code>{seal.root}</code>
        </dd>
        <dt>Seal</dt>
        <dd>
          <code>{seal.sha256}</code>
          <p class="soft">
            Compare it with your own copy of the <a href={at("/audit/seals")}>seals</a>: that copy nobody can change.
          </p>
        </dd>
      </dl>
      <details>
        <summary>The row as it is stored</summary>
        <Code text={proof.content} />
      </details>
    </>
  );
}
