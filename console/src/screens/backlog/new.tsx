import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../../address.ts";
import { api, data } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { Form } from "../../kit/form.tsx";
import { Page } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { IdeaFields, type TypedIdea } from "./fields.tsx";

const EMPTY: TypedIdea = {
  title: "",
  hypothesis: null,
  evidence: null,
  stage: "new",
  impact: null,
  confidence: null,
  ease: null,
  tags: [],
};

/** A new idea. */
export default function NewIdea() {
  const [typed, setTyped] = useState(EMPTY);
  const doing = useDoing();
  const { route } = useLocation();
  const create = async () => {
    const idea = saved(await data(api.POST("/backlog/ideas", { body: typed })), "Idea kept");
    route(at("/backlog", idea.id));
  };
  return (
    <Page title="New idea" above={<a href={at("/backlog")}>Backlog</a>}>
      <Form doing={doing} submit="Keep the idea" onSubmit={create} isDirty={typed !== EMPTY}>
        <IdeaFields value={typed} set={(name) => (value) => setTyped((before) => ({ ...before, [name]: value }))} />
      </Form>
    </Page>
  );
}
