import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../../../address.ts";
import { api, data, type Schemas } from "../../../api/client.ts";
import { useDoing } from "../../../api/loading.ts";
import { SelectField } from "../../../kit/choices.tsx";
import { Form, TextField } from "../../../kit/form.tsx";
import { may } from "../../../session/session.ts";
import { Steps, stepAddress } from "./steps.tsx";

type Idea = Schemas["Idea"];

const MOST_IDEAS = 100;

/** The first step of a new experiment: what is believed, and why. It makes the draft. */
export default function Start() {
  const { query, route } = useLocation();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [idea, setIdea] = useState(query.idea ?? "");
  const ideas = useIdeas();
  const doing = useDoing();
  const take = (id: string) => {
    setIdea(id);
    const chosen = ideas.find((each) => each.id === id);
    if (!chosen) return;
    setName(chosen.title);
    setDescription(chosen.hypothesis ?? "");
  };
  useEffect(() => {
    if (idea && !name) take(idea);
  }, [ideas]);
  const create = async () => {
    const body = {
      name: name.trim(),
      description: description.trim() || null,
      ...(idea && { idea_id: idea }),
    };
    const { id } = await data(api.POST("/experiments", { body }));
    route(stepAddress(id, "change"));
  };
  return (
    <Steps current="hypothesis" experiment={null} title="New experiment">
      <Form
        doing={doing}
        submit="Next: page and change"
        onSubmit={create}
        isDirty={!doing.isBusy && Boolean(name || description)}
        others={
          <a class="button" href={at("/experiments")}>
            Cancel
          </a>
        }
      >
        {ideas.length > 0 && (
          <SelectField
            path="idea_id"
            label="Idea of the backlog"
            value={idea}
            onChange={take}
            options={[
              { value: "", label: "None" },
              ...ideas.map(({ id, key, title }) => ({ value: id, label: `${key}: ${title}` })),
            ]}
          />
        )}
        <TextField
          path="name"
          label="Name"
          required
          maxLength={255}
          value={name}
          onChange={setName}
          placeholder="A headline that says where things are made"
        />
        <TextField
          path="description"
          label="Hypothesis"
          rows={3}
          value={description}
          onChange={setDescription}
          placeholder="If we …, more visitors will …, because …"
          hint="What do you expect, and why? Those who read the results will thank you."
        />
      </Form>
    </Steps>
  );
}

/** Read the ideas of the backlog that nobody tests yet, best first. */
function useIdeas(): readonly Idea[] {
  const [ideas, setIdeas] = useState<readonly Idea[]>([]);
  useEffect(() => {
    if (!may("backlog:write")) return;
    const query = { limit: MOST_IDEAS, sort: "-score" as const };
    data(api.GET("/backlog/ideas", { params: { query } })).then(
      (page) => setIdeas(page.data.filter(({ stage }) => stage !== "done" && stage !== "rejected")),
      () => undefined,
    );
  }, []);
  return ideas;
}
