import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, ifMatch } from "../../api/client.ts";
import { type Loaded, useDoing, useLoaded } from "../../api/loading.ts";
import { Status } from "../../kit/badge.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { Form } from "../../kit/form.tsx";
import { Page, Tabs } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { Shown } from "../../kit/state.tsx";
import { Verbs } from "../../kit/verbs.tsx";
import { may } from "../../session/session.ts";
import { LandingFields } from "./fields.tsx";
import { NextStep } from "./next_step.tsx";
import { addressOf, type LandingPage } from "./words.ts";

const TABS = { versions: "Versions", qa: "Checks", publishes: "Publishing", variants: "Variants" } as const;
const SECONDS = 5;

interface FrameProps {
  current: keyof typeof TABS;
  /** Read again while something is on its way. */
  isLive?: (page: LandingPage) => boolean;
  children: (page: LandingPage, of: Loaded<LandingPage>) => ComponentChildren;
}

/** What all screens of a landing page have in common: title, address, tabs. */
export function LandingFrame({ current, isLive, children }: FrameProps) {
  const landing_page_id = useRoute().params.landing_page_id ?? "";
  const [isWatched, setWatched] = useState(false);
  const page = useLoaded(
    async () => {
      const read = await data(api.GET("/landing-pages/{landing_page_id}", { params: { path: { landing_page_id } } }));
      setWatched(isLive?.(read) ?? false);
      return read;
    },
    [landing_page_id],
    { every: isWatched ? SECONDS : undefined },
  );
  const base = at("/landing-pages", landing_page_id);
  const tabs = Object.entries(TABS).map(([name, title]) => ({
    title,
    address: name === "versions" ? base : `${base}/${name}`,
  }));
  return (
    <Shown of={page}>
      {(read) => (
        <Page
          title={read.name}
          above={<a href={at("/landing-pages")}>Landing pages</a>}
          beside={<Status status={read.status} />}
          lead={addressOf(read)}
          actions={may("landing_pages:write") && <PageVerbs page={read} of={page} />}
        >
          <Tabs tabs={tabs} label="Landing page" current={current === "versions" ? base : `${base}/${current}`} />
          <NextStep page={read} />
          {children(read, page)}
        </Page>
      )}
    </Shown>
  );
}

function PageVerbs({ page, of }: { page: LandingPage; of: Loaded<LandingPage> }) {
  const [isEditing, setEditing] = useState(false);
  const { route, path } = useLocation();
  const params = { path: { landing_page_id: page.id }, header: ifMatch(page) };
  const verb = (name: "archive" | "unarchive", text: string) => async () =>
    of.replace(saved(await data(api.POST(`/landing-pages/{landing_page_id}/${name}`, { params })), text));
  return (
    <>
      {page.status !== "archived" && !path.endsWith("/write") && (
        <a class="button primary" href={`${at("/landing-pages", page.id)}/write`}>
          Write a version
        </a>
      )}
      <button type="button" onClick={() => setEditing(true)}>
        Name and address
      </button>
      <Verbs
        verbs={[
          page.status === "archived"
            ? { label: "Bring back", run: verb("unarchive", "Page is back") }
            : {
                label: "Archive",
                run: verb("archive", "Page is archived"),
                ask: <p>It leaves the list. A page that is online has to be taken offline first.</p>,
              },
          {
            label: "Delete",
            tone: "harm",
            run: async () => {
              await data(api.DELETE("/landing-pages/{landing_page_id}", { params }));
              saved({}, "Page deleted");
              route(at("/landing-pages"));
            },
            ask: <p>The page with its versions is gone for good. A page that ever was online cannot be deleted.</p>,
          },
        ]}
      />
      {isEditing && <EditPage page={page} of={of} onClose={() => setEditing(false)} />}
    </>
  );
}

function EditPage({ page, of, onClose }: { page: LandingPage; of: Loaded<LandingPage>; onClose: () => void }) {
  const { name, slug, page_type, publish_mode, publish_host, publish_path } = page;
  const edit = useEdit({ name, slug, page_type, publish_mode, publish_host, publish_path });
  const doing = useDoing();
  const save = async () => {
    const params = { path: { landing_page_id: page.id }, header: ifMatch(page) };
    await data(api.PATCH("/landing-pages/{landing_page_id}", { params, body: edit.changed }));
    await of.reload();
    saved({});
    onClose();
  };
  return (
    <Dialog title="Name and address" onClose={onClose}>
      <Form doing={doing} submit="Save" onSubmit={save} isDirty={edit.isDirty}>
        {page.published_version_id && (
          <p class="note">It stays where it is online. The next publish goes to the address that you write here.</p>
        )}
        <LandingFields value={edit.draft} set={edit.on} />
        <Conflict doing={doing} contested={edit.contested} reload={of.reload} />
      </Form>
    </Dialog>
  );
}
