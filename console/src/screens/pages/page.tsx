import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { type Loaded, useDoing, useLoaded, useRows } from "../../api/loading.ts";
import { Badge, inWords } from "../../kit/badge.tsx";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { EditButton } from "../../kit/edit_button.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { useLiveImpact } from "../../kit/live_impact.tsx";
import { Page, Section } from "../../kit/page.tsx";
import { PageFields } from "../../kit/rules/page.tsx";
import { pageInWords } from "../../kit/rules/words.ts";
import { saved } from "../../kit/saved.ts";
import { Empty, Shown } from "../../kit/state.tsx";
import { type Column, List } from "../../kit/table.tsx";
import { Ago } from "../../kit/values.tsx";
import { Verbs } from "../../kit/verbs.tsx";
import { may } from "../../session/session.ts";
import { bodyOf, definitionOf, type ShopPage } from "./definition.ts";
import { AddressTester } from "./tester.tsx";

/** One page of the shop: its rules, what uses it, and a test of an address. */
export default function PageScreen() {
  const page_id = useRoute().params.page_id ?? "";
  const page = useLoaded(() => data(api.GET("/pages/{page_id}", { params: { path: { page_id } } })), [page_id]);
  return <Shown of={page}>{(read) => <Filled page={read} of={page} />}</Shown>;
}

function Filled({ page, of }: { page: ShopPage; of: Loaded<ShopPage> }) {
  const [isEditing, setEditing] = useState(false);
  const impact = useLiveImpact();
  const { route } = useLocation();
  const params = { path: { page_id: page.id }, header: ifMatch(page) };
  const remove = () =>
    impact.run(async (body) => {
      await data(api.DELETE("/pages/{page_id}", { params, body }));
      saved({}, "Page deleted");
      route(at("/pages"));
    });
  return (
    <Page
      title={page.name}
      above={<a href={at("/pages")}>Pages</a>}
      actions={
        may("experiments:write") && (
          <>
            <EditButton isOpen={isEditing} onToggle={() => setEditing(!isEditing)} />
            <Verbs
              verbs={[
                {
                  label: "Delete",
                  tone: "harm",
                  run: remove,
                  ask: <p>A page that something refers to cannot be deleted; the list below has what does.</p>,
                },
              ]}
            />
          </>
        )
      }
    >
      {isEditing ? (
        <Edit page={page} of={of} onDone={() => setEditing(false)} />
      ) : (
        <dl class="facts">
          <dt>Where it is</dt>
          <dd>{pageInWords(page)}</dd>
          {page.advancedCondition && (
            <>
              <dt>Condition</dt>
              <dd>
                <code>{JSON.stringify(page.advancedCondition)}</code>
              </dd>
            </>
          )}
          <dt>Changed</dt>
          <dd>
            <Ago at={page.updated_at} />
          </dd>
        </dl>
      )}
      {impact.dialog}
      {!isEditing && (
        <Section title="Try an address">
          <AddressTester page_id={page.id} rules={definitionOf(page)} />
        </Section>
      )}
      <Section title="Used by">
        <Consumers page_id={page.id} />
      </Section>
    </Page>
  );
}

function Edit({ page, of, onDone }: { page: ShopPage; of: Loaded<ShopPage>; onDone: () => void }) {
  const edit = useEdit({ name: page.name, ...definitionOf(page) });
  const doing = useDoing();
  const impact = useLiveImpact();
  const { name, ...rules } = edit.draft;
  const save = () =>
    impact.run(async (confirmed) => {
      const params = { path: { page_id: page.id }, header: ifMatch(page) };
      const { name: newName, ...changed } = edit.changed;
      // Fields are replaced as a whole; those that nobody touched are not sent.
      const whole = bodyOf(rules);
      const sent = Object.fromEntries(Object.entries(whole).filter(([field]) => field in changed));
      const body = { ...(newName !== undefined && { name: newName }), ...sent, ...confirmed };
      of.replace(saved(await data(api.PATCH("/pages/{page_id}", { params, body }))));
      edit.reset();
      onDone();
    });
  return (
    <>
      <Form doing={doing} submit="Save" onSubmit={save} isDirty={edit.isDirty}>
        <TextField path="name" label="Name" required value={name} onChange={edit.on("name")} />
        <PageFields
          path=""
          value={rules}
          onChange={(next) => {
            edit.on("includeRules")(next.includeRules);
            edit.on("excludeRules")(next.excludeRules);
            edit.on("trigger")(next.trigger?.type === "immediate" ? null : next.trigger);
            edit.on("advancedCondition")(next.advancedCondition);
          }}
        />
        <Conflict doing={doing} contested={edit.contested} reload={of.reload} />
      </Form>
      {impact.dialog}
      <Section title="Try an address" lead="Against what you typed above, before you save it.">
        <AddressTester rules={rules} />
      </Section>
    </>
  );
}

type Consumer = Schemas["PageConsumer"];

const SCREENS: Record<Consumer["consumer"], string> = {
  experiment: "/experiments",
  "feature flag": "/flags",
  personalization: "/personalizations",
};

const CONSUMERS: readonly Column<Consumer>[] = [
  { title: "Name", isName: true, cell: (row) => <a href={at(SCREENS[row.consumer], row.id)}>{row.name}</a> },
  { title: "Kind", cell: (row) => inWords(row.consumer) },
  {
    title: "State",
    cell: (row) => <Badge tone={row.live ? "good" : "plain"}>{row.live ? "reaches visitors" : "not running"}</Badge>,
  },
];

function Consumers({ page_id }: { page_id: string }) {
  const rows = useRows(
    (cursor) => data(api.GET("/pages/{page_id}/consumers", { params: { path: { page_id }, query: { cursor } } })),
    [page_id],
  );
  return (
    <List
      caption="What uses the page"
      columns={CONSUMERS}
      of={rows}
      keyOf={(row) => row.id}
      empty={
        <Empty title="Nothing uses this page yet">
          <p>Choose it in the targeting of an experiment, a flag or a personalization.</p>
        </Empty>
      }
    />
  );
}
