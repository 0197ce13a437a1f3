import type { Schemas } from "../../api/client.ts";
import { shop } from "../../session/session.ts";
import { ManyField } from "../choices.tsx";
import { TextField } from "../form.tsx";
import { DAYS } from "./attributes.ts";

export type WeekdaySchedule = Schemas["WeekdaySchedule"];

interface Props {
  path: string;
  value: WeekdaySchedule | null;
  onChange: (value: WeekdaySchedule | null) => void;
}

/** On which days of the week something is shown; null is every day. */
export function WeekdaysField({ path, value, onChange }: Props) {
  const timezone = value?.timezone ?? shop.value?.timezone ?? "UTC";
  const excluded = value?.excludedDays ?? [];
  return (
    <>
      <ManyField
        path={`${path}.excludedDays`}
        label="Not on these days"
        value={excluded}
        options={DAYS.map((day) => ({ value: day, label: day.charAt(0).toUpperCase() + day.slice(1) }))}
        onChange={(days) => {
          const excludedDays = DAYS.filter((day) => days.includes(day));
          onChange(excludedDays.length ? { excludedDays, timezone } : null);
        }}
      />
      {value && (
        <TextField
          path={`${path}.timezone`}
          label="Time zone of these days"
          required
          value={timezone}
          onChange={(typed) => onChange({ ...value, timezone: typed })}
        />
      )}
    </>
  );
}

/** Return on which days it is shown. */
export function weekdaysInWords(schedule: WeekdaySchedule | null): string {
  if (!schedule?.excludedDays.length) return "every day";
  return `every day but ${schedule.excludedDays.join(", ")} (${schedule.timezone})`;
}
