import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Problem } from "../../api/problems.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { Field, useMessages } from "../../kit/form.tsx";
import {
  type Block,
  type Content,
  copied,
  freeId,
  newBlock,
  renamed,
  type ShopFacts,
  type Step,
  stepped,
  wordsOf,
} from "./content.ts";
import { BLOCKS, SHARED, UNKNOWN } from "./grammar.ts";
import { Listed } from "./listed.tsx";
import { PartFields } from "./part_fields.tsx";

const MOST = 60;

interface Props {
  content: Content;
  problem: Problem | null;
  shop: ShopFacts;
  onChange: (content: Content) => void;
  /** The block that a person works on. */
  onLook: (id: string) => void;
}

/** The blocks of a page: what each has in fields, their order, and new ones. */
export function BlockFields({ content, problem, shop, onChange, onLook }: Props) {
  const { blocks } = content;
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => new Set(blocks.length < 4 ? blocks.map(idOf) : []));
  const [addingAt, setAddingAt] = useState<number | null>(null);
  const [removed, setRemoved] = useState<{ block: Block; at: number } | null>(null);
  const messages = useMessages("spec.blocks");
  const cards = useRef<HTMLFieldSetElement>(null);
  const fresh = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (!fresh.current) return;
    const card = [...(cards.current?.querySelectorAll<HTMLElement>("[data-block]") ?? [])].find(
      ({ dataset }) => dataset.block === fresh.current,
    );
    fresh.current = null;
    card?.querySelector<HTMLElement>("input, textarea, .chosen button")?.focus();
  });
  const open = (id: string, is: boolean) =>
    setOpened((before) => {
      const after = new Set(before);
      if (is) after.add(id);
      else after.delete(id);
      return after;
    });
  const put = (next: Block[]) => onChange({ ...content, blocks: next });
  const step = (taken: Step) => {
    const block = blocks[taken.at ?? 0];
    if (taken.do === "remove" && block) setRemoved({ block, at: taken.at });
    if (taken.do !== "copy" || !block) return put(stepped(blocks, taken));
    const copy = copied(block, blocks);
    open(copy.id, true);
    put(stepped(blocks, { do: "add", at: taken.at + 1, entry: copy }));
  };
  const add = (type: string) => {
    const block = newBlock(type, blocks, shop);
    open(block.id, true);
    put(stepped(blocks, { do: "add", at: addingAt ?? blocks.length, entry: block }));
    setAddingAt(null);
    fresh.current = block.id;
    onLook(block.id);
  };
  const bringBack = ({ block, at }: { block: Block; at: number }) => {
    const entry = { ...block, id: freeId(block.id, blocks) };
    put(stepped(blocks, { do: "add", at: Math.min(at, blocks.length), entry }));
    setRemoved(null);
    fresh.current = entry.id;
  };
  return (
    <fieldset class="page-blocks" ref={cards}>
      <legend>Blocks, from top to bottom</legend>
      {blocks.length > 1 && (
        <button type="button" class="link" onClick={() => setOpened(new Set(opened.size > 0 ? [] : blocks.map(idOf)))}>
          {opened.size > 0 ? "Close all" : "Open all"}
        </button>
      )}
      {messages.length > 0 && (
        <p class="message" data-invalid tabIndex={-1}>
          {messages.join(" ")}
        </p>
      )}
      <Listed
        label="Blocks"
        items={blocks}
        keyOf={idOf}
        nameOf={(block, place) => `block ${place + 1}, ${nameOf(block)}`}
        onStep={step}
        least={1}
        most={MOST}
      >
        {(block, place, tools) => (
          <div class="page-block" data-block={block.id} onFocusIn={() => onLook(block.id)}>
            <span class="page-block-movers">{tools.movers}</span>
            <details open={opened.has(block.id)} onToggle={(event) => open(block.id, event.currentTarget.open)}>
              <summary>
                <strong>
                  {place + 1}. {nameOf(block)}
                </strong>{" "}
                <span class="soft">{wordsOf(block).slice(0, 60)}</span>
                {isWrong(problem, place) && <span class="message"> Something to correct</span>}
              </summary>
              <p class="entry-head">
                {tools.others}
                {blocks.length < MOST && (
                  <button
                    type="button"
                    class="quiet"
                    aria-label={`Add below block ${place + 1}`}
                    onClick={() => setAddingAt(place + 1)}
                  >
                    Add below
                  </button>
                )}
              </p>
              <PartFields
                fields={(BLOCKS[block.type] ?? UNKNOWN).fields}
                part={block}
                path={`spec.blocks[${place}]`}
                onChange={(part) => put(blocks.with(place, part as Block))}
              />
              {!BLOCKS[block.type] && <p class="note">Blocks of the type “{block.type}” are written as JSON, below.</p>}
              <details class="aside">
                <summary>Background, who sees it, and its address on the page</summary>
                <PartFields
                  fields={SHARED}
                  part={block}
                  path={`spec.blocks[${place}]`}
                  onChange={(part) => put(blocks.with(place, part as Block))}
                />
                <IdField
                  path={`spec.blocks[${place}].id`}
                  id={block.id}
                  onChange={(wanted) => {
                    const after = renamed(content, place, wanted);
                    open(after.blocks[place]?.id ?? "", true);
                    onChange(after);
                  }}
                />
              </details>
            </details>
          </div>
        )}
      </Listed>
      {blocks.length < MOST && (
        <p class="tools">
          <button type="button" onClick={() => setAddingAt(blocks.length)}>
            Add a block
          </button>
        </p>
      )}
      {removed && (
        <p class="note" role="status">
          {nameOf(removed.block)} is removed.{" "}
          <button type="button" class="link" onClick={() => bringBack(removed)}>
            Bring it back
          </button>
        </p>
      )}
      {addingAt !== null && <ChooseBlock onChoose={add} onClose={() => setAddingAt(null)} />}
    </fieldset>
  );
}

function ChooseBlock({ onChoose, onClose }: { onChoose: (type: string) => void; onClose: () => void }) {
  return (
    <Dialog title="Add a block" isWide onClose={onClose}>
      <ul class="block-kinds">
        {Object.entries(BLOCKS).map(([type, { name, about }]) => (
          <li key={type}>
            <button type="button" onClick={() => onChoose(type)}>
              <strong>{name}</strong>
              <span class="soft">{about}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

interface IdProps {
  path: string;
  id: string;
  onChange: (wanted: string) => void;
}

/** The anchor of a block. It changes when the field is left: until then, links would lead to each letter of it. */
function IdField({ path, id, onChange }: IdProps) {
  return (
    <Field
      path={path}
      label="Address on the page"
      required
      hint={`Links lead here with #${id}. They follow where you change it.`}
    >
      {(attributes) => (
        <input
          {...attributes}
          type="text"
          autocomplete="off"
          value={id}
          onChange={(event) => {
            const typed = event.currentTarget.value;
            event.currentTarget.value = id;
            if (typed && typed !== id) onChange(typed);
          }}
        />
      )}
    </Field>
  );
}

function idOf({ id }: Block): string {
  return id;
}

function nameOf({ type }: Block): string {
  return (BLOCKS[type] ?? UNKNOWN).name;
}

function isWrong(problem: Problem | null, place: number): boolean {
  return (problem?.fields ?? []).some(({ path }) =>
    new RegExp(`^spec\\.blocks(\\.${place}|\\[${place}\\])(\\W|$)`).test(path),
  );
}
