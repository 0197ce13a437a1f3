import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, ifMatch } from "../../api/client.ts";
import { type Loaded, useDoing, useLoaded } from "../../api/loading.ts";
import { Status } from "../../kit/badge.tsx";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { Form } from "../../kit/form.tsx";
import { Page } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { Shown } from "../../kit/state.tsx";
import { Verbs } from "../../kit/verbs.tsx";
import { may } from "../../session/session.ts";
import { type Brief, BriefFields, type TypedBrief } from "./fields.tsx";

const EMPTY: TypedBrief = {
  angle: "",
  format: "landing",
  status: "draft",
  audience: null,
  keyword_intent: null,
  traffic_source: null,
  objections: [],
  proof_points: [],
  outline: [],
  offer_refs: [],
  product_refs: [],
};

/** One brief, or a new one. */
export default function BriefScreen() {
  const brief_id = useRoute().params.brief_id ?? "";
  return brief_id === "new" ? <NewBrief /> : <Existing key={brief_id} brief_id={brief_id} />;
}

const ABOVE = () => <a href={at("/content-briefs")}>Content briefs</a>;

function NewBrief() {
  const [typed, setTyped] = useState(EMPTY);
  const doing = useDoing();
  const { route } = useLocation();
  const create = async () => {
    const brief = saved(await data(api.POST("/content-briefs", { body: typed })), "Brief made");
    route(at("/content-briefs", brief.id));
  };
  return (
    <Page title="New brief" above={<ABOVE />}>
      <Form doing={doing} submit="Make the brief" onSubmit={create} isDirty={typed !== EMPTY}>
        <BriefFields value={typed} set={(name) => (value) => setTyped((before) => ({ ...before, [name]: value }))} />
      </Form>
    </Page>
  );
}

function Existing({ brief_id }: { brief_id: string }) {
  const brief = useLoaded(
    () => data(api.GET("/content-briefs/{brief_id}", { params: { path: { brief_id } } })),
    [brief_id],
  );
  return <Shown of={brief}>{(read) => <Edit brief={read} of={brief} />}</Shown>;
}

function Edit({ brief, of }: { brief: Brief; of: Loaded<Brief> }) {
  const names = Object.keys(EMPTY) as (keyof TypedBrief)[];
  const edit = useEdit(Object.fromEntries(names.map((name) => [name, brief[name]])) as unknown as TypedBrief);
  const doing = useDoing();
  const { route } = useLocation();
  const canWrite = may("landing_pages:write");
  const params = { path: { brief_id: brief.id }, header: ifMatch(brief) };
  const save = async () => {
    of.replace(saved(await data(api.PATCH("/content-briefs/{brief_id}", { params, body: edit.changed }))));
    edit.reset();
  };
  const remove = async () => {
    await data(api.DELETE("/content-briefs/{brief_id}", { params }));
    saved({}, "Brief deleted");
    route(at("/content-briefs"));
  };
  return (
    <Page
      title={brief.angle}
      above={<ABOVE />}
      beside={<Status status={brief.status} />}
      actions={
        canWrite && (
          <Verbs
            verbs={[
              {
                label: "Delete",
                tone: "harm",
                run: remove,
                ask: <p>Versions of pages keep their copy of it.</p>,
              },
            ]}
          />
        )
      }
    >
      <Form doing={doing} submit={canWrite ? "Save" : undefined} onSubmit={save} isDirty={edit.isDirty}>
        <fieldset disabled={!canWrite} class="form">
          <BriefFields value={edit.draft} set={edit.on} />
        </fieldset>
        <Conflict doing={doing} contested={edit.contested} reload={of.reload} />
      </Form>
    </Page>
  );
}
