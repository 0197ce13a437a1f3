import { useLayoutEffect, useRef } from "preact/hooks";
import { Field, type FieldProps } from "../../kit/form.tsx";
import { type Mark, marked } from "./marks.ts";

const MARKS: [Mark, string][] = [
  ["bold", "Bold"],
  ["italic", "Italic"],
  ["link", "Link"],
  ["list", "List"],
];

interface Props extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  rows?: number;
}

/** A text of several lines, with buttons for the few marks that it may have. */
export function LongText({ value, onChange, rows = 3, ...field }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const selection = useRef<[number, number] | null>(null);
  useLayoutEffect(() => {
    if (!selection.current || !area.current) return;
    area.current.focus();
    area.current.setSelectionRange(...selection.current);
    selection.current = null;
  });
  const put = (mark: Mark) => {
    if (!area.current) return;
    const { selectionStart, selectionEnd } = area.current;
    const after = marked({ text: value, from: selectionStart, to: selectionEnd }, mark);
    selection.current = [after.from, after.to];
    onChange(after.text);
  };
  return (
    <Field {...field}>
      {(attributes) => (
        <>
          <textarea
            {...attributes}
            ref={area}
            rows={rows}
            value={value}
            onInput={(event) => onChange(event.currentTarget.value)}
            onKeyDown={(event) => {
              const mark = event.ctrlKey || event.metaKey ? { b: "bold", i: "italic" }[event.key] : undefined;
              if (!mark) return;
              event.preventDefault();
              put(mark as Mark);
            }}
          />
          <span class="marks">
            {MARKS.map(([mark, name]) => (
              <button
                key={mark}
                type="button"
                class={`quiet as-${mark}`}
                aria-label={`${name} in ${field.label}`}
                onClick={() => put(mark)}
              >
                {name}
              </button>
            ))}
          </span>
        </>
      )}
    </Field>
  );
}
