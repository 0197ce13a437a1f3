import { useEffect, useRef, useState } from "preact/hooks";
import type { Language, OpenCode } from "./code_mirror.ts";
import { Field, type FieldProps, useMessages } from "./form.tsx";

interface CodeAreaProps {
  label: string;
  language: Language;
  value: string;
  onChange: (value: string) => void;
  rows?: number;
  /** Hints and messages, which stand outside of the field. */
  description?: string;
  isInvalid?: boolean;
  isReadOnly?: boolean;
  /** Of the plain field, for its label. */
  id?: string;
}

/** A text of code. It is a plain field until it is seen and the editor of code is loaded, and where that fails. */
export function CodeArea({ id, value, onChange, ...rest }: CodeAreaProps) {
  const { rows = 6, description = "", isInvalid = false, isReadOnly = false, label, language } = rest;
  const options = { label, language, description, rows, isInvalid, isReadOnly };
  const [editor, setEditor] = useState<typeof import("./code_mirror.ts") | null>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const opened = useRef<OpenCode | null>(null);
  /** The selection of the plain field, if it had the focus when the editor came. */
  const focused = useRef<[number, number] | null>(null);
  /** What was typed and has not come back yet as the value: by then, more may have been typed. */
  const sent = useRef<string[]>([]);
  const latest = useRef({ value, onChange, options });
  latest.current = { value, onChange, options };

  useEffect(() => {
    const element = plain.current;
    if (!element) return;
    let isGone = false;
    const watcher = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      watcher.disconnect();
      import("./code_mirror.ts").then(
        (loaded) => {
          if (isGone) return;
          const has = document.activeElement === element;
          focused.current = has ? [element.selectionStart, element.selectionEnd] : null;
          setEditor(loaded);
        },
        () => {},
      );
    });
    watcher.observe(element);
    return () => {
      isGone = true;
      watcher.disconnect();
    };
  }, []);

  useEffect(() => {
    if (!editor || !host.current) return;
    const now = latest.current;
    sent.current = [];
    const code = editor.openCode(host.current, now.value, now.options, (text) => {
      sent.current.push(text);
      latest.current.onChange(text);
    });
    if (focused.current) code.focus(...focused.current);
    opened.current = code;
    return () => {
      opened.current = null;
      code.close();
    };
  }, [editor, language]);

  useEffect(() => {
    const place = sent.current.indexOf(value);
    sent.current = sent.current.slice(place + 1);
    if (place < 0) opened.current?.show(value);
  }, [value]);
  useEffect(() => opened.current?.describe(latest.current.options), [label, description, rows, isInvalid, isReadOnly]);

  if (editor) return <div ref={host} class="code-host" data-invalid={isInvalid || undefined} />;
  return (
    <textarea
      ref={plain}
      id={id}
      class="code"
      rows={rows}
      spellcheck={false}
      aria-label={label}
      aria-description={description || undefined}
      aria-invalid={isInvalid || undefined}
      readOnly={isReadOnly}
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface CodeFieldProps extends FieldProps {
  language: Language;
  value: string;
  onChange: (value: string) => void;
  rows?: number;
}

/** Code with its label, its hint and what the API says about it: where, by line and column. */
export function CodeField({ language, value, onChange, rows, ...field }: CodeFieldProps) {
  const messages = useMessages(field.path);
  const hint = typeof field.hint === "string" ? field.hint : "";
  return (
    <Field {...field}>
      {({ id }) => (
        <CodeArea
          id={id}
          label={field.label}
          language={language}
          value={value}
          onChange={onChange}
          rows={rows}
          description={[hint, ...messages].filter(Boolean).join(" ")}
          isInvalid={messages.length > 0}
        />
      )}
    </Field>
  );
}
