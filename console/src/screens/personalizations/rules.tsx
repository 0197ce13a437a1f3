import { useState } from "preact/hooks";
import { api, data, ifMatch, type Schemas } from "../../api/client.ts";
import { type Loaded, useDoing } from "../../api/loading.ts";
import { Conflict } from "../../kit/edit.tsx";
import { EditButton } from "../../kit/edit_button.tsx";
import { Form, useMessages } from "../../kit/form.tsx";
import { useLiveImpact } from "../../kit/live_impact.tsx";
import { Section } from "../../kit/page.tsx";
import { cleanedTargeting, type Library, TargetingField } from "../../kit/rules/targeting.tsx";
import { targetingInWords } from "../../kit/rules/words.ts";
import { saved } from "../../kit/saved.ts";
import { Sortable } from "../../kit/sortable.tsx";
import { Shown } from "../../kit/state.tsx";
import type { Personalization } from "./settings.tsx";

interface Props {
  item: Personalization;
  of: Loaded<Personalization>;
  library: Loaded<Library>;
  canWrite: boolean;
}

/** Which experience a visitor sees: the first rule that fits decides. */
export function Rules({ item, of, library, canWrite }: Props) {
  const [isEditing, setEditing] = useState(false);
  const names = library.data?.names ?? new Map();
  const named = new Map(item.experiences.map(({ key, name }) => [key, name]));
  const hasDefault = item.experiences.some(({ key }) => key === "default");
  return (
    <Section
      title="Who sees which experience"
      lead="The first rule that fits a visitor decides."
      actions={canWrite && <EditButton isOpen={isEditing} onToggle={() => setEditing(!isEditing)} />}
    >
      {isEditing ? (
        <Shown of={library}>
          {(known) => <EditRules item={item} of={of} library={known} onDone={() => setEditing(false)} />}
        </Shown>
      ) : (
        <ol class="numbered">
          {item.rules.map((rule) => {
            const { where, whom } = targetingInWords(rule.targeting, names);
            return (
              <li key={rule.id}>
                <strong>{named.get(rule.experience_key) ?? rule.experience_key}</strong>: {whom}, on {where}
                {rule.name && <span class="soft"> ({rule.name})</span>}
              </li>
            );
          })}
          <li>
            {hasDefault ? (
              <>
                <strong>{named.get("default")}</strong>: all others
              </>
            ) : (
              "All others see nothing of it."
            )}
          </li>
        </ol>
      )}
    </Section>
  );
}

type TypedRule = Pick<Schemas["PersonalizationRule"], "experience_key" | "name" | "targeting"> & { id: string };

interface EditProps {
  item: Personalization;
  of: Loaded<Personalization>;
  library: Library;
  onDone: () => void;
}

function EditRules({ item, of, library, onDone }: EditProps) {
  const [rules, setRules] = useState<TypedRule[]>(item.rules);
  const doing = useDoing();
  const impact = useLiveImpact();
  const first = item.experiences[0]?.key ?? "default";
  const save = () =>
    impact.run(async ({ confirm_live_impact }) => {
      const path = { personalization_id: item.id };
      const params = { path, query: { confirm_live_impact }, header: ifMatch(item) };
      const body = rules.map(({ experience_key, name, targeting }) => ({
        experience_key,
        ...(name && { name }),
        targeting: cleanedTargeting(targeting),
      }));
      of.replace(saved(await data(api.PUT("/personalizations/{personalization_id}/rules", { params, body }))));
      onDone();
    });
  const add = () =>
    setRules([...rules, { id: crypto.randomUUID(), experience_key: first, name: null, targeting: null }]);
  return (
    <>
      <Form doing={doing} submit="Save the rules" onSubmit={save} isDirty={rules !== item.rules}>
        <Sortable
          label="Rules"
          items={rules}
          keyOf={({ id }) => id}
          nameOf={({ name, experience_key }) => name ?? experience_key}
          onMove={setRules}
        >
          {(rule, index) => (
            <RuleFields
              rule={rule}
              path={`[${index}]`}
              item={item}
              library={library}
              onChange={(next) => setRules(rules.with(index, next))}
              onRemove={() => setRules(rules.toSpliced(index, 1))}
            />
          )}
        </Sortable>
        <p class="tools">
          <button type="button" onClick={add}>
            Add a rule
          </button>
        </p>
        <Conflict doing={doing} reload={of.reload} />
      </Form>
      {impact.dialog}
    </>
  );
}

interface RuleProps {
  rule: TypedRule;
  path: string;
  item: Personalization;
  library: Library;
  onChange: (rule: TypedRule) => void;
  onRemove: () => void;
}

function RuleFields({ rule, path, item, library, onChange, onRemove }: RuleProps) {
  const messages = [...useMessages(path), ...useMessages(`${path}.experience_key`), ...useMessages(`${path}.name`)];
  const { where, whom } = targetingInWords(rule.targeting, library.names);
  return (
    <>
      <div class="line">
        <select
          class="auto"
          aria-label="Experience"
          value={rule.experience_key}
          onChange={(event) => onChange({ ...rule, experience_key: event.currentTarget.value })}
        >
          {item.experiences.map(({ key, name }) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </select>
        <input
          class="auto"
          aria-label="Name of the rule"
          placeholder="Name"
          value={rule.name ?? ""}
          onInput={(event) => onChange({ ...rule, name: event.currentTarget.value || null })}
        />
        <span class="spring" />
        <button type="button" class="quiet" onClick={onRemove}>
          Remove
        </button>
      </div>
      {messages.length > 0 && <p class="message">{messages.join(" ")}</p>}
      <details>
        <summary>
          {whom}, on {where}
        </summary>
        <TargetingField
          path={`${path}.targeting`}
          value={rule.targeting}
          onChange={(targeting) => onChange({ ...rule, targeting })}
          library={library}
        />
      </details>
    </>
  );
}
