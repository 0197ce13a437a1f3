import type { ComponentChildren } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { at } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { CheckField } from "../../kit/choices.tsx";
import { TextField, useMessages } from "../../kit/form.tsx";
import { ChoosePicture, type FileKind, Thumbnail } from "../../kit/pictures.tsx";
import { partOf } from "./content.ts";
import type { Value } from "./part.ts";

type Asset = Schemas["Asset"];

/** Files that were read or chosen: the content of a page has their ids alone. */
const known = new Map<string, Asset>();

/** Return the file of an id: undefined until it is read, null where it is gone. */
function useAsset(id: string): Asset | null | undefined {
  const [read, setRead] = useState<{ id: string; asset: Asset | null }>();
  useEffect(() => {
    if (!id || known.has(id)) return;
    let isLeft = false;
    const take = (asset: Asset | null) => {
      if (asset) known.set(id, asset);
      if (!isLeft) setRead({ id, asset });
    };
    data(api.GET("/assets/{asset_id}", { params: { path: { asset_id: id } } })).then(take, () => take(null));
    return () => {
      isLeft = true;
    };
  }, [id]);
  return known.get(id) ?? (read?.id === id ? read.asset : undefined);
}

interface ChosenProps {
  /** What it is for, in the middle of a sentence. */
  what: string;
  kind: FileKind;
  id: string;
  onChange: (id: string) => void;
  /** Absent where there must be a file. */
  onRemove?: () => void;
}

const NAMES: Record<FileKind, string> = { picture: "picture", film: "film", font: "font" };

function Chosen({ what, kind, id, onChange, onRemove }: ChosenProps) {
  const asset = useAsset(id);
  return (
    <div class="chosen">
      {id && (
        <span class="thumb">
          {asset ? <Thumbnail asset={asset} /> : <span class="kind">{asset === null ? "not there" : "…"}</span>}
        </span>
      )}
      <div>
        {asset && (
          <p>
            <a href={at("/assets", asset.id)} target="_blank" rel="noreferrer">
              {asset.name}
            </a>
          </p>
        )}
        {asset === null && <p class="soft">This file is not among the shop's files any more. Choose another one.</p>}
        <p class="tools">
          <ChoosePicture
            label={id ? `Choose another ${NAMES[kind]}: ${what}` : `Choose a ${NAMES[kind]}: ${what}`}
            kind={kind}
            onChoose={(chosen) => {
              known.set(chosen.id, chosen);
              onChange(chosen.id);
            }}
          >
            {id ? "Choose another…" : `Choose a ${NAMES[kind]}…`}
          </ChoosePicture>
          {id && onRemove && (
            <button type="button" class="quiet" aria-label={`Remove the ${NAMES[kind]}: ${what}`} onClick={onRemove}>
              Remove
            </button>
          )}
        </p>
      </div>
    </div>
  );
}

interface FileProps {
  path: string;
  label: string;
  kind: FileKind;
  isRequired?: boolean;
  value: unknown;
  onChange: (id: string | undefined) => void;
}

/** A file of the shop by its id. */
export function FileField({ path, label, kind, isRequired = false, value, onChange }: FileProps) {
  const messages = useMessages(path);
  return (
    <FileGroup
      label={label}
      kind={kind}
      isRequired={isRequired}
      value={value}
      onChange={onChange}
      messages={messages}
    />
  );
}

interface GroupProps extends Omit<FileProps, "path"> {
  isRequired: boolean;
  messages: readonly string[];
  /** What belongs to the chosen file. */
  children?: ComponentChildren;
}

/** A file with its name, its messages, and what belongs to it. */
function FileGroup({ label, kind, isRequired, value, onChange, messages, children }: GroupProps) {
  const id = useId();
  return (
    <fieldset class="field" aria-describedby={messages.length ? id : undefined}>
      <legend>
        {label}
        {!isRequired && <span class="optional"> optional</span>}
      </legend>
      <Chosen
        what={label}
        kind={kind}
        id={typeof value === "string" ? value : ""}
        onChange={onChange}
        onRemove={isRequired ? undefined : () => onChange(undefined)}
      />
      <Said id={id} messages={messages} />
      {children}
    </fieldset>
  );
}

interface ImageProps {
  path: string;
  label: string;
  isRequired?: boolean;
  value: unknown;
  onChange: (image: Value | undefined) => void;
}

/** A picture, with words for people who do not see it. */
export function ImageField({ path, label, isRequired = false, value, onChange }: ImageProps) {
  const messages = [...useMessages(path), ...useMessages(`${path}.asset_id`)];
  const image = partOf(value);
  const { asset_id, alt, decorative } = image;
  const { alt: _, decorative: __, ...rest } = image;
  const choose = (chosen: string | undefined) =>
    onChange(
      chosen === undefined
        ? undefined
        : { ...(decorative ? { decorative } : { alt: alt ?? "" }), ...rest, asset_id: chosen },
    );
  return (
    <FileGroup
      label={label}
      kind="picture"
      isRequired={isRequired}
      value={asset_id}
      onChange={choose}
      messages={messages}
    >
      {asset_id !== undefined && (
        <>
          {decorative !== true && (
            <TextField
              path={`${path}.alt`}
              label="What it shows"
              required
              hint="For people who do not see it, and for search engines."
              value={String(alt ?? "")}
              onChange={(typed) => onChange({ ...rest, alt: typed })}
            />
          )}
          <CheckField
            path={`${path}.decorative`}
            label="Only decoration, which says nothing"
            value={decorative === true}
            onChange={(is) => onChange(is ? { ...rest, decorative: true } : { ...rest, alt: "" })}
          />
        </>
      )}
    </FileGroup>
  );
}

function Said({ id, messages }: { id: string; messages: readonly string[] }) {
  if (!messages.length) return null;
  return (
    <p id={id} class="message" data-invalid tabIndex={-1}>
      {messages.join(" ")}
    </p>
  );
}
