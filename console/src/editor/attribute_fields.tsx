import { ChoosePicture } from "../kit/pictures.tsx";
import type { ChosenElement } from "./messages.ts";

type Values = Record<string, string | null>;

interface AttributeFieldsProps {
  element: ChosenElement;
  changed: Values;
  onChange: (attributes: Values) => void;
}

const FIELDS = ["href", "src", "alt", "title", "placeholder", "aria-label", "value"];
const PICTURES = new Set(["img", "source", "input"]);

/** Attributes that people change; a picture can be one of the shop's files. */
export function AttributeFields({ element, changed, onChange }: AttributeFieldsProps) {
  const { attributes, tag } = element;
  const fields = FIELDS.filter(
    (name) => name in attributes || (name === "href" && tag === "a") || (name === "alt" && tag === "img"),
  );
  const put = (values: Values) => onChange({ ...changed, ...values });
  return (
    <>
      {fields.map((name) => (
        <div class="attribute" key={name}>
          <label class="field">
            {name}
            <input
              type="text"
              value={changed[name] ?? attributes[name] ?? ""}
              onChange={(event) => put({ [name]: event.currentTarget.value })}
            />
          </label>
          {name === "src" && PICTURES.has(tag) && (
            <ChoosePicture
              label="Choose a picture of the shop"
              // Other sizes of the picture before would be shown in its place.
              onChoose={({ public_url }) => put({ src: public_url, ...("srcset" in attributes && { srcset: null }) })}
            />
          )}
        </div>
      ))}
    </>
  );
}
