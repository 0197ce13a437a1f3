import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { at } from "../../address.ts";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { type Loaded, useDoing, useLoaded } from "../../api/loading.ts";
import { Badge } from "../../kit/badge.tsx";
import { Conflict, useEdit } from "../../kit/edit.tsx";
import { EditButton } from "../../kit/edit_button.tsx";
import { Form, TextField } from "../../kit/form.tsx";
import { Page } from "../../kit/page.tsx";
import { TextChange } from "../../kit/patch.tsx";
import { saved } from "../../kit/saved.ts";
import { Shown } from "../../kit/state.tsx";
import { sizeInWords } from "../../kit/upload.ts";
import { Ago } from "../../kit/values.tsx";
import { Verbs } from "../../kit/verbs.tsx";
import { may } from "../../session/session.ts";

type File = Schemas["WorkspaceFile"];

/** One file of the workspace, named in the query. */
export default function FileScreen() {
  const path = useRoute().query.path ?? "README.md";
  const file = useLoaded(() => data(api.GET("/workspace/files/{path}", { params: { path: { path } } })), [path]);
  return <Shown of={file}>{(read) => <Filled key={path} file={read} of={file} />}</Shown>;
}

function Filled({ file, of }: { file: File; of: Loaded<File> }) {
  const [isEditing, setEditing] = useState(false);
  const { route } = useLocation();
  const canWrite = may("workspace:write") && !file.readonly;
  const remove = async () => {
    const params = { path: { path: file.path }, header: ifMatch(file) };
    await data(api.DELETE("/workspace/files/{path}", { params }));
    saved({}, "File deleted");
    route(at("/files"));
  };
  return (
    <Page
      title={file.path}
      above={<a href={at("/files")}>Workspace</a>}
      beside={file.readonly && <Badge>generated</Badge>}
      lead={
        file.readonly ? (
          "We write this file anew whenever it is read, so nobody can change it here."
        ) : (
          <>
            {sizeInWords(file.sizeBytes)}, changed <Ago at={file.updatedAt} />
          </>
        )
      }
      actions={
        canWrite && (
          <>
            <EditButton isOpen={isEditing} onToggle={() => setEditing(!isEditing)} />
            <Verbs
              verbs={[
                {
                  label: "Delete",
                  tone: "harm",
                  run: remove,
                  ask: <p>The file is gone for good; only the fact that it was there is kept.</p>,
                },
              ]}
            />
          </>
        )
      }
    >
      {isEditing ? (
        <Edit file={file} of={of} onDone={() => setEditing(false)} />
      ) : (
        <pre class="code whole">{file.content}</pre>
      )}
    </Page>
  );
}

function Edit({ file, of, onDone }: { file: File; of: Loaded<File>; onDone: () => void }) {
  const edit = useEdit({ content: file.content });
  const [isCompared, setCompared] = useState(false);
  const doing = useDoing();
  const { content } = edit.draft;
  const save = async () => {
    const params = { path: { path: file.path }, header: ifMatch(file) };
    of.replace(saved(await data(api.PUT("/workspace/files/{path}", { params, body: { content } }))));
    edit.reset();
    onDone();
  };
  return (
    <div class="writing">
      <Form
        doing={doing}
        submit="Save"
        onSubmit={save}
        isDirty={edit.isDirty}
        others={
          <button type="button" aria-expanded={isCompared} onClick={() => setCompared(!isCompared)}>
            What changes
          </button>
        }
      >
        <div class="json">
          <TextField path="content" label="Content" required rows={20} value={content} onChange={edit.on("content")} />
        </div>
        <Conflict doing={doing} contested={edit.contested} reload={of.reload} />
        {(isCompared || doing.problem?.status === 412) && (
          <TextChange before={file.content} after={content} label="What changes" />
        )}
      </Form>
    </div>
  );
}
