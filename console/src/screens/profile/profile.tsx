import { useState } from "preact/hooks";
import { api, data, type Schemas } from "../../api/client.ts";
import { type Loaded, useDoing, useLoaded } from "../../api/loading.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { Page, Section } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { Empty, Shown } from "../../kit/state.tsx";
import { Verbs } from "../../kit/verbs.tsx";
import { may } from "../../session/session.ts";
import { Facts } from "./facts.tsx";
import { Findings } from "./findings.tsx";
import { Run } from "./run.tsx";
import { Technical } from "./technical.tsx";

export type Profile = Schemas["StoreProfileResponse"];

const SECONDS = 2;

/** What the store's own pages say about it, for people to confirm. */
export default function ProfileScreen() {
  const [isRunning, setRunning] = useState(false);
  const profile = useLoaded(
    async () => {
      const read = await data(api.GET("/store-profile"));
      const status = read.latestRun?.status;
      setRunning(status === "queued" || status === "running");
      return read;
    },
    [],
    { every: isRunning ? SECONDS : undefined },
  );
  return <Shown of={profile}>{(read) => <Filled profile={read} of={profile} isRunning={isRunning} />}</Shown>;
}

interface Props {
  profile: Profile;
  of: Loaded<Profile>;
  isRunning: boolean;
}

function Filled({ profile, of, isRunning }: Props) {
  const [isStarting, setStarting] = useState(false);
  const canWrite = may("brand:write");
  const { latestRun } = profile;
  const cancel = async () => {
    if (latestRun)
      await data(api.POST("/store-profile/runs/{run_id}/cancel", { params: { path: { run_id: latestRun.id } } }));
    await of.reload();
    saved({}, "The run is cancelled");
  };
  const start = (
    <button type="button" class="primary" onClick={() => setStarting(true)}>
      Read the store
    </button>
  );
  return (
    <Page
      title="Store profile"
      lead="What a newcomer learns in the first hour, read from the store's own pages. Only what you confirm counts."
      actions={canWrite && (isRunning ? <Verbs verbs={[{ label: "Cancel the run", run: cancel }]} /> : start)}
    >
      {latestRun ? (
        <>
          <Run run={latestRun} />
          <Section
            title="Facts"
            lead={`${profile.suggestedFactsCount} to review, ${profile.confirmedFactsCount} confirmed, ${profile.rejectedFactsCount} rejected.`}
          >
            <Facts profile={profile} of={of} canWrite={canWrite} />
          </Section>
          <Section title="Findings" lead="What the pages do that costs visitors or measurement.">
            <Findings profile={profile} of={of} canWrite={canWrite} />
          </Section>
          {profile.technicalProfile && <Technical profile={profile.technicalProfile} brand={profile.brandProfile} />}
        </>
      ) : (
        <Empty title="The store was not read yet" action={canWrite && start}>
          <p>
            A run reads some thirty public pages of your store, as a search engine does, and takes up to three minutes.
          </p>
        </Empty>
      )}
      {isStarting && <Start domain={profile.shop.domain} of={of} onClose={() => setStarting(false)} />}
    </Page>
  );
}

function Start({ domain, of, onClose }: { domain: string; of: Loaded<Profile>; onClose: () => void }) {
  const [url, setUrl] = useState("");
  const doing = useDoing();
  const start = async () => {
    await data(api.POST("/store-profile/runs", { body: url.trim() ? { url: url.trim() } : {} }));
    await of.reload();
    saved({}, "The run has begun");
    onClose();
  };
  return (
    <Dialog title="Read the store" onClose={onClose}>
      <Form doing={doing} submit="Read it" onSubmit={start}>
        <p>It reads public pages of {domain}, one a second. It sends no forms and no orders.</p>
        <TextField
          path="url"
          label="Another first page"
          type="url"
          placeholder={`https://${domain}/`}
          value={url}
          onChange={setUrl}
        />
      </Form>
    </Dialog>
  );
}
