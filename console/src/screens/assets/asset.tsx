import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { type Loaded, useDoing, useLoaded } from "../../api/loading.ts";
import { asProblem } from "../../api/problems.ts";
import { Badge, inWords } from "../../kit/badge.tsx";
import { Copied } from "../../kit/copy.tsx";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { Page, Section } from "../../kit/page.tsx";
import { Thumbnail } from "../../kit/pictures.tsx";
import { saved } from "../../kit/saved.ts";
import { Shown } from "../../kit/state.tsx";
import { sizeInWords } from "../../kit/upload.ts";
import { Time } from "../../kit/values.tsx";
import { Verbs } from "../../kit/verbs.tsx";
import { may } from "../../session/session.ts";

type Asset = Schemas["Asset"];

/** One file: its picture, its address, and what can be done with it. */
export default function AssetScreen() {
  const asset_id = useRoute().params.asset_id ?? "";
  const asset = useLoaded(() => data(api.GET("/assets/{asset_id}", { params: { path: { asset_id } } })), [asset_id]);
  return <Shown of={asset}>{(read) => <Filled asset={read} of={asset} />}</Shown>;
}

interface User {
  kind: string;
  id: string;
  name: string;
}

const SCREENS: Record<string, string> = {
  landing_page: "/landing-pages",
  experiment: "/experiments",
  personalization: "/personalizations",
  feature_flag: "/flags",
};

function Filled({ asset, of }: { asset: Asset; of: Loaded<Asset> }) {
  const [users, setUsers] = useState<User[]>([]);
  const { route } = useLocation();
  const params = { path: { asset_id: asset.id }, header: ifMatch(asset) };
  const verb = (name: "archive" | "unarchive", text: string) => async () =>
    of.replace(saved(await data(api.POST(`/assets/{asset_id}/${name}`, { params })), text));
  const remove = async () => {
    try {
      await data(api.DELETE("/assets/{asset_id}", { params }));
    } catch (thrown) {
      setUsers((asProblem(thrown).envelope.used_by as User[] | undefined) ?? []);
      throw thrown;
    }
    saved({}, "File deleted");
    route(at("/assets"));
  };
  return (
    <Page
      title={asset.name}
      above={<a href={at("/assets")}>Files and pictures</a>}
      beside={asset.archived_at && <Badge>archived</Badge>}
      actions={
        may("assets:write") && (
          <Verbs
            verbs={[
              asset.archived_at
                ? { label: "Bring back", run: verb("unarchive", "File is back") }
                : {
                    label: "Archive",
                    run: verb("archive", "File is archived"),
                    ask: <p>It leaves the list, and new pages cannot use it. Its address keeps working.</p>,
                  },
              {
                label: "Delete",
                tone: "harm",
                run: remove,
                ask: <p>The file is gone from all pages that link to it, within 30 days. One that is in use stays.</p>,
              },
            ]}
          />
        )
      }
    >
      {users.length > 0 && (
        <div class="note warn">
          <p>It is in use here, so it stays:</p>
          <ul class="bullets">
            {users.map(({ kind, id, name }) => (
              <li key={id}>
                <a href={at(SCREENS[kind] ?? "/experiments", id)}>{name}</a> <span class="soft">{inWords(kind)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      <div class="asset">
        <Thumbnail asset={asset} />
      </div>
      <dl class="facts">
        <dt>File</dt>
        <dd>{asset.file_name}</dd>
        <dt>Kind, size</dt>
        <dd>
          {asset.mime_type}, {sizeInWords(asset.size_bytes)}
        </dd>
        <dt>Uploaded</dt>
        <dd>
          <Time at={asset.created_at} />
        </dd>
        <dt>Id for pages</dt>
        <dd>
          <code>{asset.id}</code>
        </dd>
      </dl>
      {asset.public_url && (
        <Section title="Address">
          <Copied text={asset.public_url} />
        </Section>
      )}
      {may("assets:write") && (
        <Section title="Name">
          <Rename asset={asset} of={of} />
        </Section>
      )}
    </Page>
  );
}

function Rename({ asset, of }: { asset: Asset; of: Loaded<Asset> }) {
  const edit = useEdit({ name: asset.name });
  const doing = useDoing();
  const save = async () => {
    const params = { path: { asset_id: asset.id }, header: ifMatch(asset) };
    of.replace(saved(await data(api.PATCH("/assets/{asset_id}", { params, body: edit.changed }))));
    edit.reset();
  };
  return (
    <Form doing={doing} submit="Rename" onSubmit={save} isDirty={edit.isDirty}>
      <TextField path="name" label="Name" required value={edit.draft.name} onChange={edit.on("name")} />
      <Conflict doing={doing} contested={edit.contested} reload={of.reload} />
    </Form>
  );
}
