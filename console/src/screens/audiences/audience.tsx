import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { type Loaded, useDoing, useLoaded } from "../../api/loading.ts";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { EditButton } from "../../kit/edit_button.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { useLiveImpact } from "../../kit/live_impact.tsx";
import { Page } from "../../kit/page.tsx";
import { AudienceField } from "../../kit/rules/audience.tsx";
import { audienceInWords, cleaned } from "../../kit/rules/words.ts";
import { saved } from "../../kit/saved.ts";
import { Shown } from "../../kit/state.tsx";
import { Ago } from "../../kit/values.tsx";
import { Verbs } from "../../kit/verbs.tsx";
import { may } from "../../session/session.ts";

type Audience = Schemas["Audience"];

/** One audience of the shop. */
export default function AudienceScreen() {
  const audience_id = useRoute().params.audience_id ?? "";
  const audience = useLoaded(
    () => data(api.GET("/audiences/{audience_id}", { params: { path: { audience_id } } })),
    [audience_id],
  );
  return <Shown of={audience}>{(read) => <Filled audience={read} of={audience} />}</Shown>;
}

function Filled({ audience, of }: { audience: Audience; of: Loaded<Audience> }) {
  const [isEditing, setEditing] = useState(false);
  const impact = useLiveImpact();
  const { route } = useLocation();
  const remove = () =>
    impact.run(async (body) => {
      const params = { path: { audience_id: audience.id }, header: ifMatch(audience) };
      await data(api.DELETE("/audiences/{audience_id}", { params, body }));
      saved({}, "Audience deleted");
      route(at("/audiences"));
    });
  return (
    <Page
      title={audience.name}
      above={<a href={at("/audiences")}>Audiences</a>}
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
                  ask: <p>An audience that something refers to cannot be deleted.</p>,
                },
              ]}
            />
          </>
        )
      }
    >
      {isEditing ? (
        <Edit audience={audience} of={of} onDone={() => setEditing(false)} />
      ) : (
        <dl class="facts">
          <dt>Who is in it</dt>
          <dd>Visitors whose {audienceInWords(audience.rules)}</dd>
          <dt>Changed</dt>
          <dd>
            <Ago at={audience.updated_at} />
          </dd>
        </dl>
      )}
      {impact.dialog}
    </Page>
  );
}

function Edit({ audience, of, onDone }: { audience: Audience; of: Loaded<Audience>; onDone: () => void }) {
  const edit = useEdit({ name: audience.name, rules: audience.rules });
  const doing = useDoing();
  const impact = useLiveImpact();
  const save = () =>
    impact.run(async (confirmed) => {
      const params = { path: { audience_id: audience.id }, header: ifMatch(audience) };
      const { rules, ...rest } = edit.changed;
      const body = { ...rest, ...(rules && { rules: cleaned(rules) }), ...confirmed };
      of.replace(saved(await data(api.PATCH("/audiences/{audience_id}", { params, body }))));
      edit.reset();
      onDone();
    });
  return (
    <>
      <Form doing={doing} submit="Save" onSubmit={save} isDirty={edit.isDirty}>
        <TextField path="name" label="Name" required value={edit.draft.name} onChange={edit.on("name")} />
        <AudienceField path="rules" value={edit.draft.rules} onChange={edit.on("rules")} />
        <Conflict doing={doing} contested={edit.contested} reload={of.reload} />
      </Form>
      {impact.dialog}
    </>
  );
}
