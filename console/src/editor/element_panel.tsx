import { useState } from "preact/hooks";
import { Badge } from "../kit/badge.tsx";
import { CodeArea } from "../kit/code_field.tsx";
import { AttributeFields } from "./attribute_fields.tsx";
import { type Action, type Mutation, placeOf, without } from "./changes.ts";
import type { Counts } from "./counting.ts";
import type { ChosenElement, Strength } from "./messages.ts";
import { OtherPages, SelectorCounts } from "./selector_counts.tsx";
import { StyleFields } from "./style_fields.tsx";
import { Walk } from "./walk.tsx";

interface ElementPanelProps {
  element: ChosenElement;
  mutations: readonly Mutation[];
  counts: Counts;
  /** Address of the page that is shown. */
  url: string;
  /** Elements that a selector of a change matches here. */
  hereOf: (selector: string) => number | undefined;
  onPut: (mutation: Mutation) => void;
  onRemove: (mutations: Mutation[]) => void;
  onClimb: (levels: number) => void;
  onWalk: (to: string) => void;
  onMove: (selector: string) => void;
  onAside: (selector: string) => void;
  onClose: () => void;
}

const LASTS: Record<Strength, { tone: "good" | "warn" | "plain"; word: string; why: string }> = {
  name: { tone: "good", word: "lasts", why: "It is named by what it is: your developers rarely change that." },
  class: { tone: "plain", word: "by class", why: "The change ends when your developers rename the class." },
  position: {
    tone: "warn",
    word: "by position",
    why: "The change ends when something is added to the page before it.",
  },
};
const NAMES: Record<string, string> = {
  a: "Link",
  button: "Button",
  img: "Picture",
  li: "Entry of a list",
  p: "Paragraph",
};

/** Return what an element is called by people. */
function nameOf(tag: string): string {
  return NAMES[tag] ?? (/^h[1-6]$/.test(tag) ? "Heading" : "Element");
}

/** The chosen element: what is changed about it. */
export function ElementPanel({
  element,
  mutations,
  counts,
  url,
  hereOf,
  onPut,
  onRemove,
  onClimb,
  onWalk,
  onMove,
  onAside,
  onClose,
}: ElementPanelProps) {
  const known = mutations.find((each) => element.selectors.some(({ selector }) => selector === each.selector));
  const [selector, setSelector] = useState(known?.selector ?? element.selectors[0]?.selector ?? "");
  const suggestion = element.selectors.find((each) => each.selector === selector);
  const strength = suggestion && LASTS[suggestion.strength];
  const changeOf = (action: Action) => mutations[placeOf(mutations, selector, action)];
  const isRemoved = changeOf("remove") !== undefined;
  const toggleRemoved = () => {
    const place = placeOf(mutations, selector, "remove");
    if (place < 0) onPut({ selector, action: "remove" });
    else onRemove(without(mutations, place));
  };
  return (
    <div class="element">
      <div class="title">
        <h2>
          {nameOf(element.tag)} <code class="soft">{element.tag}</code>
        </h2>
        <span class="spring" />
        <button type="button" class="quiet" onClick={onClose}>
          Done
        </button>
      </div>
      <nav class="crumbs" aria-label="Elements around it">
        {element.path.map((label, index) => {
          const levels = element.path.length - 1 - index;
          return (
            <button
              type="button"
              class="link"
              key={`${label}-${index}`}
              disabled={levels === 0}
              onClick={() => onClimb(levels)}
            >
              {label}
            </button>
          );
        })}
      </nav>
      <Walk onWalk={onWalk} />
      {element.isPlain ? (
        <label class="field">
          Text
          <textarea
            rows={3}
            value={changeOf("text")?.text ?? element.text}
            onInput={(event) => onPut({ selector, action: "text", text: event.currentTarget.value })}
          />
        </label>
      ) : (
        <details>
          <summary>Content as HTML</summary>
          {element.isLong ? (
            <p class="hint">It is too long to edit here. Choose something smaller inside of it.</p>
          ) : (
            <CodeArea
              label="Content as HTML"
              language="html"
              rows={8}
              value={changeOf("html")?.html ?? element.html}
              onChange={(html) => onPut({ selector, action: "html", html })}
            />
          )}
        </details>
      )}
      <AttributeFields
        element={element}
        changed={changeOf("attribute")?.attributes ?? {}}
        onChange={(changed) => onPut({ selector, action: "attribute", attributes: changed })}
      />
      <details>
        <summary>Style</summary>
        <StyleFields
          now={element.styles}
          changed={changeOf("style")?.styles ?? {}}
          onChange={(styles) => onPut({ selector, action: "style", styles })}
        />
      </details>
      <details>
        <summary>Insert next to it</summary>
        {(["insertBefore", "insertAfter"] as const).map((action) => {
          const label = action === "insertBefore" ? "HTML before it" : "HTML after it";
          return (
            <div class="field" key={action}>
              <span aria-hidden="true">{label}</span>
              <CodeArea
                label={label}
                language="html"
                rows={3}
                value={changeOf(action)?.html ?? ""}
                onChange={(html) => onPut({ selector, action, html })}
              />
            </div>
          );
        })}
      </details>
      <label class="field">
        How the page finds it
        <select value={selector} onChange={(event) => setSelector(event.currentTarget.value)}>
          {!suggestion && <option value={selector}>{selector}</option>}
          {element.selectors.map((each) => (
            <option key={each.selector} value={each.selector}>
              {each.selector}
            </option>
          ))}
        </select>
      </label>
      {strength && (
        <p class="hint">
          <Badge tone={strength.tone}>{strength.word}</Badge> {strength.why}
        </p>
      )}
      <SelectorCounts selector={selector} counts={counts} here={hereOf(selector)} />
      <OtherPages counts={counts} url={url} />
      <p class="buttons">
        <button type="button" class="harm" aria-pressed={isRemoved} onClick={toggleRemoved}>
          {isRemoved ? "Bring back" : "Remove it"}
        </button>
        <button type="button" onClick={() => onMove(selector)}>
          Move it
        </button>
        <button type="button" onClick={() => onAside(selector)}>
          Hide it while I edit
        </button>
      </p>
    </div>
  );
}
