import { ChoosePicture } from "../kit/pictures.tsx";

interface StyleFieldsProps {
  now: Record<string, string>;
  changed: Record<string, string>;
  onChange: (styles: Record<string, string>) => void;
}

const FIELDS: [string, string][] = [
  ["color", "Text colour"],
  ["background-color", "Background"],
  ["background-image", "Background picture"],
  ["font-size", "Size of text"],
  ["font-weight", "Weight of text"],
  ["text-align", "Alignment"],
  ["padding", "Space inside"],
  ["margin", "Space around"],
  ["border-radius", "Round corners"],
  ["width", "Width"],
];

/** The styles that people change most; others are CSS of the variation. */
export function StyleFields({ now, changed, onChange }: StyleFieldsProps) {
  const put = (name: string, value: string) => {
    const { [name]: _, ...others } = changed;
    onChange(value.trim() ? { ...others, [name]: value } : others);
  };
  return (
    <div class="style-fields">
      {FIELDS.map(([name, label]) => (
        <div class="style-field" key={name}>
          <span aria-hidden="true">{label}</span>
          <span class="with-colour">
            {name.endsWith("color") && (
              <input
                type="color"
                aria-label={`${label}, chosen`}
                value={asHex(changed[name] ?? now[name] ?? "")}
                onChange={(event) => put(name, event.currentTarget.value)}
              />
            )}
            <input
              type="text"
              aria-label={label}
              value={changed[name] ?? ""}
              placeholder={now[name]}
              onChange={(event) => put(name, event.currentTarget.value)}
            />
            {name === "background-image" && (
              <ChoosePicture
                label="Choose a picture of the shop for the background"
                onChoose={({ public_url }) =>
                  put(name, `url("${(public_url ?? "").replace(/["\\\s]/g, encodeURIComponent)}")`)
                }
              />
            )}
          </span>
        </div>
      ))}
    </div>
  );
}

/** Return a colour as `#rrggbb`, which the browser's chooser needs; white for what is transparent, black for what it does not know. */
export function asHex(colour: string): string {
  if (/^#[0-9a-f]{6}$/i.test(colour)) return colour;
  if (/, 0\)$/.test(colour)) return "#ffffff";
  const parts = colour.match(/^rgba?\((\d+)[ ,]+(\d+)[ ,]+(\d+)/);
  if (!parts) return "#000000";
  return `#${parts
    .slice(1, 4)
    .map((part) => Number(part).toString(16).padStart(2, "0"))
    .join("")}`;
}
