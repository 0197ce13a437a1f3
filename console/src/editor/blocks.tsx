import { UrlRulesField } from "../kit/rules/page.tsx";
import type { UrlRule } from "../kit/rules/words.ts";
import { type Block, movedPart, type Part } from "./draft.ts";

interface BlocksProps {
  parts: readonly Part[];
  tab: number;
  /** Address of the page that is shown. */
  url: string;
  isReadOnly: boolean;
  /** Only which pages they are, not their rules. */
  isBrief: boolean;
  onTab: (tab: number) => void;
  onParts: (parts: readonly Part[], tab: number) => void;
}

/** Which pages the changes below are for: every page, or those of a URL block. */
export function Blocks({ parts, tab, url, isReadOnly, isBrief, onTab, onParts }: BlocksProps) {
  const block = parts[tab]?.block;
  const add = () => {
    const pattern = URL.canParse(url) ? new URL(url).pathname : "/*";
    const made: Block = {
      id: crypto.randomUUID(),
      name: pattern,
      urlRules: [{ type: "simple", pattern }],
      mutations: [],
    };
    onParts([...parts, { block: made, name: made.name, mutations: [], css: "" }], parts.length);
  };
  if (parts.length === 1 && (isReadOnly || isBrief)) return null;
  return (
    <div class="blocks">
      <div class="tools">
        {parts.length > 1 && (
          <select aria-label="Pages" value={tab} onChange={(event) => onTab(Number(event.currentTarget.value))}>
            {parts.map((each, index) => (
              <option key={each.block?.id ?? ""} value={index}>
                {each.name || "Unnamed pages"}
              </option>
            ))}
          </select>
        )}
        {!isReadOnly && !isBrief && (
          <button type="button" class={parts.length > 1 ? "" : "link"} onClick={add}>
            {parts.length > 1 ? "Add pages" : "Other changes on certain pages"}
          </button>
        )}
      </div>
      {block && !isReadOnly && !isBrief && (
        <BlockRules
          key={block.id}
          block={block}
          place={tab}
          last={parts.length - 1}
          onChange={(next) => onParts(parts.with(tab, { ...(parts[tab] as Part), block: next, name: next.name }), tab)}
          onMove={(step) => onParts(movedPart(parts, tab, step), tab + step)}
          onDelete={() => onParts(parts.toSpliced(tab, 1), 0)}
        />
      )}
    </div>
  );
}

interface BlockRulesProps {
  block: Block;
  place: number;
  last: number;
  onChange: (block: Block) => void;
  onMove: (step: 1 | -1) => void;
  onDelete: () => void;
}

function BlockRules({ block, place, last, onChange, onMove, onDelete }: BlockRulesProps) {
  const on = block.urlRules.filter(({ include }) => include !== false);
  const notOn = block.urlRules.filter(({ include }) => include === false);
  const put = (included: UrlRule[], excluded: UrlRule[]) => {
    onChange({ ...block, urlRules: [...included, ...excluded.map((rule) => ({ ...rule, include: false }))] });
  };
  return (
    <details open={!block.mutations.length}>
      <summary>Which pages these are</summary>
      <label class="field">
        Name
        <input
          type="text"
          value={block.name}
          onInput={(event) => onChange({ ...block, name: event.currentTarget.value })}
        />
      </label>
      <UrlRulesField
        path="urlRules"
        label="On these addresses"
        hint="* stands for any characters: /products/*"
        value={on}
        onChange={(next) => put(next, notOn)}
      />
      <UrlRulesField path="excluded" label="But not on these" value={notOn} onChange={(next) => put(on, next)} />
      <p class="hint">
        The first that matches counts, in the order of the list. Everything else is what every page gets.
      </p>
      <div class="tools">
        <button type="button" disabled={place <= 1} onClick={() => onMove(-1)}>
          Earlier
        </button>
        <button type="button" disabled={place >= last} onClick={() => onMove(1)}>
          Later
        </button>
        <button type="button" onClick={onDelete}>
          Delete these pages
        </button>
      </div>
    </details>
  );
}
