import { SelectField } from "../../kit/choices.tsx";
import { Field } from "../../kit/form.tsx";
import { type ColourName, DEFAULTS, isColour, weakPairs } from "./colours.ts";
import { chosen, partOf, put } from "./content.ts";
import { FileField } from "./file_fields.tsx";
import { SIZES } from "./grammar.ts";
import type { Value } from "./part.ts";
import { PartFields } from "./part_fields.tsx";

const COLOURS: readonly { name: ColourName; label: string; hint: string }[] = [
  { name: "primary", label: "Your colour", hint: "Buttons and links." },
  { name: "text", label: "Text", hint: "All other colours of text follow from it." },
  { name: "background", label: "Background", hint: "Behind plain blocks." },
  { name: "muted", label: "Quiet background", hint: "Behind blocks with the quiet colour." },
];

const IN_WORDS = { text: "The text", primary: "Your colour", background: "background", muted: "quiet background" };

interface Props {
  theme: Value;
  onChange: (theme: Value | undefined) => void;
}

/** Colours, font and sizes of a page. What is not chosen has its default. */
export function LookFields({ theme, onChange }: Props) {
  const change = (after: Value) => onChange(Object.keys(after).length ? after : undefined);
  const weak = weakPairs(theme);
  return (
    <>
      <div class="part-fields">
        {COLOURS.map(({ name, label, hint }) => (
          <ColourField
            key={name}
            path={`spec.theme.${name}`}
            label={label}
            hint={hint}
            value={theme[name]}
            standard={DEFAULTS[name]}
            onChange={(value) => change(put(theme, { name }, value))}
          />
        ))}
      </div>
      {weak.length > 0 && (
        <ul class="note warn" role="status">
          {weak.map(({ name, on, ratio }) => (
            <li key={name + on}>
              {IN_WORDS[name]} cannot be read well on the {IN_WORDS[on]}: the contrast is {ratio} to 1, and a page needs
              4.5. Make one of them darker or lighter.
            </li>
          ))}
        </ul>
      )}
      <FontField font={theme.font} onChange={(font) => change(put(theme, { name: "font" }, font))} />
      <PartFields fields={SIZES} part={theme} path="spec.theme" onChange={change} />
    </>
  );
}

interface ColourProps {
  path: string;
  label: string;
  hint: string;
  value: unknown;
  standard: string;
  onChange: (value: string) => void;
}

function ColourField({ path, label, hint, value, standard, onChange }: ColourProps) {
  const typed = typeof value === "string" ? value : "";
  return (
    <Field path={path} label={label} hint={hint}>
      {(attributes) => (
        <span class="with-colour">
          <input
            type="color"
            aria-label={`${label}: choose`}
            value={isColour(typed) ? typed : standard}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
          <input
            {...attributes}
            type="text"
            placeholder={standard}
            autocomplete="off"
            maxLength={7}
            value={typed}
            onInput={(event) => onChange(event.currentTarget.value.trim())}
          />
        </span>
      )}
    </Field>
  );
}

const OWN = "own";
const FONTS = [
  { value: "", label: "That of the visitor's device" },
  { value: "serif", label: "With serifs" },
  { value: "mono", label: "Like a typewriter" },
  { value: OWN, label: "A font of your shop" },
];

function FontField({ font, onChange }: { font: unknown; onChange: (font: unknown) => void }) {
  const isOwn = typeof font === "object" && font !== null;
  const [text, options] = chosen(FONTS, font, "system");
  return (
    <>
      <SelectField
        path="spec.theme.font"
        label="Font"
        required
        value={isOwn ? OWN : text}
        onChange={(chosen) => onChange(chosen === OWN ? {} : chosen)}
        options={options}
      />
      {isOwn && (
        <FileField
          path="spec.theme.font.asset_id"
          label="Font of your shop"
          kind="font"
          isRequired
          value={partOf(font).asset_id}
          onChange={(asset_id) => onChange({ asset_id })}
        />
      )}
    </>
  );
}
