import { useState } from "preact/hooks";
import { at } from "../../address.ts";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { type Loaded, useDoing } from "../../api/loading.ts";
import { Status } from "../../kit/badge.tsx";
import { CheckField } from "../../kit/choices.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Conflict } from "../../kit/edit.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { saved } from "../../kit/saved.ts";
import { Empty } from "../../kit/state.tsx";
import { Table } from "../../kit/table.tsx";
import { Time } from "../../kit/values.tsx";
import { Verbs } from "../../kit/verbs.tsx";
import { may } from "../../session/session.ts";
import { LandingFrame } from "./frame.tsx";
import { Checks } from "./versions.tsx";
import { addressOf, type Check, type LandingPage, numberOf } from "./words.ts";

type Publish = Schemas["LandingPagePublish"];

interface Props {
  page: LandingPage;
  of: Loaded<LandingPage>;
}

/** What was online, and what is; publish, roll back, take offline. */
export default function Publishes() {
  const isLive = (page: LandingPage) => page.publishes.some(({ status }) => status === "publishing");
  return (
    <LandingFrame current="publishes" isLive={isLive}>
      {(page, of) => <Filled page={page} of={of} />}
    </LandingFrame>
  );
}

function Filled({ page, of }: Props) {
  const [isPublishing, setPublishing] = useState(false);
  const canPublish = may("landing_pages:publish");
  const params = { path: { landing_page_id: page.id }, header: ifMatch(page) };
  const unpublish = async () => {
    await data(api.POST("/landing-pages/{landing_page_id}/unpublish", { params }));
    await of.reload();
    saved({}, "The page is offline");
  };
  const rollback = (publish: Publish) => async () => {
    await data(api.POST("/landing-pages/{landing_page_id}/rollback", { params, body: { publish_id: publish.id } }));
    await of.reload();
    saved({}, "Rolled back");
  };
  const publish = canPublish && page.current_version_id && (
    <button type="button" class="primary" onClick={() => setPublishing(true)}>
      Publish
    </button>
  );
  return (
    <>
      {canPublish && page.publishes.length > 0 && (
        <p class="tools buttons">
          {publish}
          <Verbs
            verbs={[
              page.published_version_id !== null && {
                label: "Take offline",
                tone: "harm",
                run: unpublish,
                ask: <p>Visitors of {addressOf(page)} get an error page, and the address is free for another page.</p>,
              },
            ]}
          />
        </p>
      )}
      {page.publishes.length === 0 ? (
        <Empty title="Never published" action={publish}>
          <p>Publishing puts the current version at {addressOf(page)}.</p>
        </Empty>
      ) : (
        <Table
          caption="Publishes"
          rows={page.publishes}
          keyOf={(row) => row.id}
          columns={[
            { title: "When", isName: true, cell: (row) => <Time at={row.published_at} /> },
            { title: "What", cell: (row) => numberOf(page, row.version_id) },
            {
              title: "State",
              cell: (row) => (
                <>
                  <Status status={row.status} />
                  {row.error && <small class="soft">{row.error}</small>}
                </>
              ),
            },
            {
              title: "Address",
              cell: (row) =>
                row.url ? (
                  <a href={row.url} target="_blank" rel="noreferrer">
                    {row.host}
                    {row.path}
                  </a>
                ) : (
                  "a file"
                ),
            },
            {
              title: "",
              cell: (row) => (
                <span class="tools">
                  {page.publish_mode === "export" && (
                    <Verbs verbs={[{ label: "Download", run: () => download(page, row) }]} />
                  )}
                  {canPublish &&
                    row.status !== "published" &&
                    row.status !== "publishing" &&
                    row.status !== "failed" && (
                      <Verbs
                        verbs={[
                          {
                            label: "Roll back to this",
                            run: rollback(row),
                            ask: (
                              <p>
                                Visitors see {numberOf(page, row.version_id)} again, at the address of that publish. It
                                is not checked again.
                              </p>
                            ),
                          },
                        ]}
                      />
                    )}
                </span>
              ),
            },
          ]}
        />
      )}
      {isPublishing && <PublishDialog page={page} of={of} onClose={() => setPublishing(false)} />}
    </>
  );
}

/** Save the file of an exported page. */
async function download(page: LandingPage, publish: Publish): Promise<void> {
  const path = { landing_page_id: page.id, publish_id: publish.id };
  const url = "/landing-pages/{landing_page_id}/publishes/{publish_id}/export";
  const file = (await data(api.GET(url, { params: { path }, parseAs: "blob" }))) as unknown as Blob;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = `${page.slug}.html`;
  link.click();
  URL.revokeObjectURL(link.href);
}

function PublishDialog({ page, of, onClose }: Props & { onClose: () => void }) {
  const [isOverridden, setOverridden] = useState(false);
  const [reason, setReason] = useState("");
  const doing = useDoing();
  const checks = doing.problem?.code === "gate_failed" ? ((doing.problem.envelope.checks ?? []) as Check[]) : [];
  const publish = async () => {
    const params = { path: { landing_page_id: page.id }, header: ifMatch(page) };
    const body = isOverridden ? { override_gate: { reason } } : {};
    const made = await data(api.POST("/landing-pages/{landing_page_id}/publish", { params, body }));
    await of.reload();
    if (made.status === "publishing") saved({}, "Saved, not yet published: it comes online by itself");
    else saved({}, "The page is online");
    onClose();
  };
  return (
    <Dialog title="Publish" onClose={onClose}>
      <Form doing={doing} submit="Publish" onSubmit={publish}>
        <p>
          Visitors see {numberOf(page, page.current_version_id)} at <strong>{addressOf(page)}</strong> within seconds
          {page.experiment && ", with the variants of its experiment"}.
        </p>
        {checks.length > 0 && (
          <>
            <Checks checks={checks} />
            {may("shop:write") && (
              <CheckField
                path="override_gate"
                label="Publish it anyway"
                hint="The reason is kept in the audit."
                value={isOverridden}
                onChange={setOverridden}
              />
            )}
          </>
        )}
        {isOverridden && (
          <TextField path="override_gate.reason" label="Why" required rows={2} value={reason} onChange={setReason} />
        )}
        {doing.problem?.code === "qa_required" && (
          <p>
            <a href={`${at("/landing-pages", page.id)}/qa`}>Check and approve it</a> first. Whether a page needs this is
            one of the <a href={at("/settings")}>settings</a>.
          </p>
        )}
        {doing.problem?.code === "url_not_allowed" && (
          <p>
            Hosts of your shop are claimed in the <a href={at("/settings/domains")}>settings</a>; then publish again.
          </p>
        )}
        <Conflict doing={doing} reload={of.reload} />
      </Form>
    </Dialog>
  );
}
