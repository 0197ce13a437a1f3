import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../../address.ts";
import { api, data } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { Form, TextField } from "../../kit/form.tsx";
import { Page } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { fileAddress } from "./list.tsx";

/** A new file of the team. */
export default function NewFile() {
  const [path, setPath] = useState("notes/");
  const [content, setContent] = useState("");
  const doing = useDoing();
  const { route } = useLocation();
  const write = async () => {
    const params = { path: { path } };
    const file = await data(api.PUT("/workspace/files/{path}", { params, body: { content } }));
    saved({}, "File written");
    route(fileAddress(file.path));
  };
  return (
    <Page title="New file" above={<a href={at("/files")}>Workspace</a>}>
      <Form doing={doing} submit="Write the file" onSubmit={write} isDirty={content !== ""}>
        <TextField
          path="path"
          label="Path"
          required
          hint="Folders and a name: briefs/summer.md, data/prices.csv"
          value={path}
          onChange={setPath}
        />
        <div class="json">
          <TextField path="content" label="Content" required rows={16} value={content} onChange={setContent} />
        </div>
      </Form>
    </Page>
  );
}
