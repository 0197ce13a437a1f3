import { useId, useState } from "preact/hooks";
import { useMessages } from "../../kit/form.tsx";
import { asJson } from "../../kit/json.tsx";
import {
  type Block,
  blocksOf,
  EXAMPLES,
  newBlock,
  type Path,
  type Text,
  textsOf,
  withValue,
  wordsOf,
} from "./blocks.ts";

interface Props {
  /** The content as JSON text, which is what is sent. */
  value: string;
  onChange: (text: string) => void;
}

/** The blocks of a page: their texts in fields, their order, and new ones. Everything else stands in the JSON. */
export function BlockFields({ value, onChange }: Props) {
  const [type, setType] = useState("text");
  const chooser = useId();
  const blocks = blocksOf(value);
  if (!blocks)
    return <p class="note warn">The content below cannot be read at the moment, so its blocks are not shown.</p>;
  const put = (next: readonly Block[]) => onChange(asJson({ ...JSON.parse(value), blocks: next }));
  return (
    <fieldset class="by-hand">
      <legend>Blocks</legend>
      <ol>
        {blocks.map((block, place) => (
          <li key={block.id} class="card">
            <BlockCard
              block={block}
              place={place}
              onChange={(next) => put(blocks.with(place, next))}
              onRemove={() => put(blocks.toSpliced(place, 1))}
              onUp={place > 0 ? () => put(blocks.toSpliced(place, 1).toSpliced(place - 1, 0, block)) : null}
            />
          </li>
        ))}
      </ol>
      <p class="tools">
        <label class="unseen" for={chooser}>
          Kind of block
        </label>
        <select id={chooser} class="auto" value={type} onChange={(event) => setType(event.currentTarget.value)}>
          {Object.entries(EXAMPLES).map(([name, example]) => (
            <option key={name} value={name}>
              {example.name}
            </option>
          ))}
        </select>
        <button type="button" onClick={() => put([...blocks, newBlock(type, blocks)])}>
          Add the block
        </button>
      </p>
    </fieldset>
  );
}

interface CardProps {
  block: Block;
  place: number;
  onChange: (block: Block) => void;
  onRemove: () => void;
  onUp: (() => void) | null;
}

function BlockCard({ block, place, onChange, onRemove, onUp }: CardProps) {
  const name = EXAMPLES[block.type]?.name ?? block.type;
  const items = Array.isArray(block.items) ? block.items : null;
  return (
    <>
      <div class="title">
        <h2>
          {place + 1}. {name}
        </h2>
        <span class="spring" />
        <button type="button" class="quiet" disabled={!onUp} aria-label={`Move ${name} up`} onClick={() => onUp?.()}>
          ↑
        </button>
        <button type="button" class="quiet" aria-label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </button>
      </div>
      <div class="change-parts">
        {textsOf(block).map((text) => (
          <TextOf
            key={text.path.join(".")}
            path={["blocks", place, ...text.path]}
            text={text}
            onChange={(value) => onChange(withValue(block, text.path, value))}
          />
        ))}
      </div>
      {items && (
        <p class="tools">
          <button
            type="button"
            onClick={() => onChange({ ...block, items: [...items, structuredClone(items.at(-1))] })}
          >
            Add an entry
          </button>
          {items.length > 1 && (
            <button type="button" class="quiet" onClick={() => onChange({ ...block, items: items.slice(0, -1) })}>
              Remove the last
            </button>
          )}
        </p>
      )}
    </>
  );
}

interface TextProps {
  /** Inside the content. */
  path: Path;
  text: Text;
  onChange: (value: string) => void;
}

function TextOf({ path, text, onChange }: TextProps) {
  const id = useId();
  const messages = useMessages(path.reduce<string>((so, step) => `${so}.${step}`, "spec"));
  const attributes = {
    id,
    value: text.value,
    "aria-invalid": messages.length > 0 || undefined,
    "aria-describedby": messages.length > 0 ? `${id}-problem` : undefined,
  };
  return (
    <div class={text.isLong ? "change-value" : undefined}>
      <label for={id}>{wordsOf(text.path)}</label>
      {text.isLong ? (
        <textarea {...attributes} rows={2} onInput={(event) => onChange(event.currentTarget.value)} />
      ) : (
        <input {...attributes} type="text" onInput={(event) => onChange(event.currentTarget.value)} />
      )}
      {messages.length > 0 && (
        <p id={`${id}-problem`} class="message">
          {messages.join(" ")}
        </p>
      )}
    </div>
  );
}
