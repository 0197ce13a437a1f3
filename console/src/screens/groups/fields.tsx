import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { useLoaded } from "../../api/loading.ts";
import { Status } from "../../kit/badge.tsx";
import { TextField, useMessages } from "../../kit/form.tsx";
import { NumberInput } from "../../kit/number.tsx";
import { Shown } from "../../kit/state.tsx";
import { percent } from "../../kit/values.tsx";

export type Member = Schemas["ExclusionGroupMember"];
export type Experiments = ReadonlyMap<string, Schemas["Experiment"]>;

const MOST = 100;

/** Read the experiments that may be members, by id. */
export function useExperiments() {
  return useLoaded(async () => {
    const query = { limit: MOST, sort: "-updated_at" as const };
    const page = await data(api.GET("/experiments", { params: { query } }));
    return new Map(page.data.map((each) => [each.id, each])) as Experiments;
  }, []);
}

/** The name of a member with its state. */
export function MemberName({ id, experiments }: { id: string; experiments: Experiments | null }) {
  const experiment = experiments?.get(id);
  return (
    <>
      <a href={at("/experiments", id)}>{experiment?.name ?? id}</a>{" "}
      {experiment && <Status status={experiment.status} />}
    </>
  );
}

interface Props {
  name: string;
  onName: (name: string) => void;
  members: Member[];
  onMembers: (members: Member[]) => void;
}

/** Name and members of a group, each with its share of the visitors. */
export function GroupFields({ name, onName, members, onMembers }: Props) {
  const experiments = useExperiments();
  const messages = useMessages("members");
  const total = members.reduce((sum, { share }) => sum + (share ?? 0), 0);
  return (
    <>
      <TextField path="name" label="Name" required placeholder="Checkout" value={name} onChange={onName} />
      <Shown of={experiments}>
        {(known) => (
          <fieldset class="field">
            <legend>Experiments and their share of the visitors</legend>
            <ul class="rules">
              {members.map((member, index) => (
                <MemberRow
                  key={member.experiment_id}
                  member={member}
                  path={`members[${index}]`}
                  experiments={known}
                  onChange={(share) => onMembers(members.with(index, { ...member, share }))}
                  onRemove={() => onMembers(members.toSpliced(index, 1))}
                />
              ))}
            </ul>
            <p class={total > 1.00001 ? "message" : "hint"}>
              {percent(total, 0)} given away, {percent(Math.max(0, 1 - total), 0)} of the visitors see none of them.
            </p>
            {messages.length > 0 && <p class="message">{messages.join(" ")}</p>}
            <select
              aria-label="Add an experiment"
              value=""
              onChange={(event) => {
                const share = Number(Math.max(0, 1 - total).toFixed(4));
                onMembers([...members, { experiment_id: event.currentTarget.value, share }]);
              }}
            >
              <option value="" disabled>
                Add an experiment …
              </option>
              {[...known.values()]
                .filter(({ id }) => !members.some(({ experiment_id }) => experiment_id === id))
                .map((each) => (
                  <option key={each.id} value={each.id}>
                    {each.name}
                  </option>
                ))}
            </select>
          </fieldset>
        )}
      </Shown>
    </>
  );
}

interface RowProps {
  member: Member;
  path: string;
  experiments: Experiments;
  onChange: (share: number) => void;
  onRemove: () => void;
}

function MemberRow({ member, path, experiments, onChange, onRemove }: RowProps) {
  const name = experiments.get(member.experiment_id)?.name ?? member.experiment_id;
  const messages = [...useMessages(path), ...useMessages(`${path}.share`), ...useMessages(`${path}.experiment_id`)];
  return (
    <li class="rule">
      <div class="group-head">
        <span>
          <MemberName id={member.experiment_id} experiments={experiments} />
        </span>
        <span class="spring" />
        <NumberInput
          min={0}
          max={100}
          label={`Share of ${name} in percent`}
          value={Number((member.share * 100).toPrecision(12))}
          onChange={(share) => onChange((share ?? 0) / 100)}
        />
        <span>%</span>
        <button type="button" class="quiet" aria-label={`Remove ${name}`} onClick={onRemove}>
          ×
        </button>
      </div>
      {messages.length > 0 && <p class="message">{messages.join(" ")}</p>}
    </li>
  );
}
