import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** A control of a bar of filters with its label above it. */
export function Choice({ label, children }: { label: string; children: (id: string) => ComponentChildren }) {
  const id = useId();
  return (
    <div class="bar-choice">
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  );
}

interface DayProps {
  label: string;
  value: string | null | undefined;
  onChange: (day: string) => void;
}

/** A day of a bar of filters. */
export function DayChoice({ label, value, onChange }: DayProps) {
  return (
    <Choice label={label}>
      {(id) => (
        <input id={id} type="date" value={value ?? ""} onChange={(event) => onChange(event.currentTarget.value)} />
      )}
    </Choice>
  );
}
