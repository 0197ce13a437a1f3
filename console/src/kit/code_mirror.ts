// The editor of code fields, in a script of its own: it is loaded when the first such field is seen. It lives in a shadow
// root, where its style sheets are objects: the page's policy allows no others.

import { indentWithTab } from "@codemirror/commands";
import { css } from "@codemirror/lang-css";
import { html } from "@codemirror/lang-html";
import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { EditorView, minimalSetup } from "codemirror";

export type Language = "html" | "css" | "javascript" | "json";

export interface CodeOptions {
  label: string;
  /** What is said about the field, beside its name. */
  description: string;
  language: Language;
  isInvalid: boolean;
  isReadOnly: boolean;
  rows: number;
}

export interface OpenCode {
  /** Show another text, without telling of it. */
  show: (text: string) => void;
  describe: (options: CodeOptions) => void;
  focus: (from: number, to: number) => void;
  close: () => void;
}

const LANGUAGES: Record<Language, () => Extension> = {
  html: () => html({ autoCloseTags: false }),
  css,
  javascript,
  json,
};
const LEAVING = "Tab indents. Escape, then Tab leaves the field.";

/**
 * What is typed over a selection is put there by us: browsers would keep the look of what was there in a style attribute,
 * which the page's policy forbids.
 */
const TYPED_OVER = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { readOnly, selection } = view.state;
    if (event.inputType !== "insertText" || !event.data || event.isComposing) return false;
    if (readOnly || selection.main.empty) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.tagName], color: "var(--c1)" },
  { tag: [tags.string, tags.attributeValue, tags.special(tags.string), tags.regexp], color: "var(--c3)" },
  { tag: [tags.number, tags.bool, tags.null, tags.unit, tags.color, tags.atom], color: "var(--c2)" },
  { tag: [tags.propertyName, tags.attributeName, tags.className, tags.labelName], color: "var(--c6)" },
  { tag: [tags.comment], color: "var(--soft)", fontStyle: "italic" },
  { tag: [tags.invalid], color: "var(--bad)", textDecoration: "underline wavy" },
]);

const LOOK = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "0.8125rem", maxHeight: "28rem" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "ui-monospace, Menlo, Consolas, monospace", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)", padding: "0.35rem 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { color: "var(--soft)", backgroundColor: "var(--wash)", border: "0" },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": { backgroundColor: "var(--accent-wash) !important" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-wash)", color: "var(--accent)" },
});

/** Open a code field in an element, with a text. `onChange` hears what a person types. */
export function openCode(
  host: HTMLElement,
  text: string,
  options: CodeOptions,
  onChange: (text: string) => void,
): OpenCode {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const described = new Compartment();
  let isShowing = false;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        minimalSetup,
        lineNumbers(),
        bracketMatching(),
        indentOnInput(),
        EditorView.lineWrapping,
        keymap.of([indentWithTab]),
        TYPED_OVER,
        LANGUAGES[options.language](),
        syntaxHighlighting(COLOURS),
        LOOK,
        described.of(attributesOf(options)),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isShowing) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  host.focus = () => view.focus(); // forms focus the first field with an error
  return {
    show: (next) => {
      if (next === view.state.doc.toString()) return;
      isShowing = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
      isShowing = false;
    },
    describe: (next) => view.dispatch({ effects: described.reconfigure(attributesOf(next)) }),
    focus: (from, to) => {
      const { length } = view.state.doc;
      view.focus();
      view.dispatch({ selection: { anchor: Math.min(from, length), head: Math.min(to, length) } });
    },
    close: () => view.destroy(),
  };
}

function attributesOf({ label, description, isInvalid, isReadOnly, rows }: CodeOptions): Extension {
  return [
    EditorState.readOnly.of(isReadOnly),
    EditorView.contentAttributes.of({
      "aria-label": label,
      "aria-description": [description, isReadOnly ? "" : LEAVING].filter(Boolean).join(" "),
      "aria-invalid": String(isInvalid),
      "aria-readonly": String(isReadOnly),
    }),
    EditorView.theme({ ".cm-content, .cm-gutter": { minHeight: `${rows * 1.5 + 0.7}em` } }),
  ];
}
