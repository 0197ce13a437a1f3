import { useMessages } from "../form.tsx";
import { ComparisonRow } from "./comparison.tsx";
import type { AudienceRules } from "./words.ts";

interface Props {
  path: string;
  value: AudienceRules;
  onChange: (value: AudienceRules) => void;
  /** Levels of groups that may still be added below. */
  depth?: number;
  onRemove?: () => void;
}

/** The rules of an audience: comparisons, in groups of groups. Send `cleaned(value)`. */
export function AudienceField({ path, value, onChange, depth = 4, onRemove }: Props) {
  const conditions = value.conditions ?? [];
  const groups = value.groups ?? [];
  const messages = useMessages(path);
  return (
    <fieldset class="group">
      <legend class="unseen">{onRemove ? "Group of conditions" : "Who is in the audience"}</legend>
      <div class="group-head">
        <select
          aria-label="How the conditions combine"
          value={value.operator}
          onChange={(event) => onChange({ ...value, operator: event.currentTarget.value === "or" ? "or" : "and" })}
        >
          <option value="and">All of these hold</option>
          <option value="or">At least one of these holds</option>
        </select>
        {onRemove && (
          <button type="button" class="quiet" onClick={onRemove}>
            Remove the group
          </button>
        )}
      </div>
      <ul class="rules">
        {conditions.map((condition, index) => (
          <ComparisonRow
            key={index}
            path={`${path}.conditions[${index}]`}
            value={condition}
            onChange={(next) => onChange({ ...value, conditions: conditions.with(index, next) })}
            onRemove={() => onChange({ ...value, conditions: conditions.toSpliced(index, 1) })}
          />
        ))}
        {groups.map((group, index) => (
          <li key={index}>
            <AudienceField
              path={`${path}.groups[${index}]`}
              value={group}
              depth={depth - 1}
              onChange={(next) => onChange({ ...value, groups: groups.with(index, next) })}
              onRemove={() => onChange({ ...value, groups: groups.toSpliced(index, 1) })}
            />
          </li>
        ))}
      </ul>
      {messages.length > 0 && <p class="message">{messages.join(" ")}</p>}
      <p class="tools">
        <button type="button" onClick={() => onChange({ ...value, conditions: [...conditions, FIRST] })}>
          Add a condition
        </button>
        {depth > 0 && (
          <button
            type="button"
            onClick={() => onChange({ ...value, groups: [...groups, { operator: "or", conditions: [FIRST] }] })}
          >
            Add a group
          </button>
        )}
      </p>
    </fieldset>
  );
}

const FIRST = { attribute: "device", operator: "equals", value: "mobile" } as const;

/** The rules that a new audience begins with. */
export const NEW_AUDIENCE: AudienceRules = { operator: "and", conditions: [FIRST] };
