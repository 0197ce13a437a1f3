import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at } from "../../address.ts";
import { api, data } from "../../api/client.ts";
import { useDoing } from "../../api/loading.ts";
import { Form } from "../../kit/form.tsx";
import { useLiveImpact } from "../../kit/live_impact.tsx";
import { Page } from "../../kit/page.tsx";
import { saved } from "../../kit/saved.ts";
import { GroupFields, type Member } from "./fields.tsx";

/** A new exclusion group. */
export default function NewGroup() {
  const [name, setName] = useState("");
  const [members, setMembers] = useState<Member[]>([]);
  const doing = useDoing();
  const impact = useLiveImpact();
  const { route } = useLocation();
  const create = () =>
    impact.run(async (confirmed) => {
      const body = { name, members, ...confirmed };
      const group = saved(await data(api.POST("/exclusion-groups", { body })), "Group made");
      route(at("/exclusion-groups", group.id));
    });
  return (
    <Page title="New exclusion group" above={<a href={at("/exclusion-groups")}>Exclusion groups</a>}>
      <Form doing={doing} submit="Make the group" onSubmit={create} isDirty={name !== "" || members.length > 0}>
        <GroupFields name={name} onName={setName} members={members} onMembers={setMembers} />
      </Form>
      {impact.dialog}
    </Page>
  );
}
