/** Contrast of colours as WCAG 2.2 defines it: the service refuses texts below 4.5 to 1. */

export const DEFAULTS = { primary: "#1f4fd1", background: "#ffffff", text: "#14171c", muted: "#f4f5f7" } as const;

export type ColourName = keyof typeof DEFAULTS;

const LEAST = 4.5;
const COLOUR = /^#[0-9a-f]{6}$/i;

/** Return whether a text is a colour as the service takes it. */
export function isColour(text: string): boolean {
  return COLOUR.test(text);
}

/** Return the contrast ratio of two colours, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    linear(Number.parseInt(colour.slice(at, at + 2), 16) / 255),
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function linear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}

export interface WeakPair {
  name: "text" | "primary";
  on: "background" | "muted";
  /** Cut off after two digits, so that 4.49 is not shown as 4.5. */
  ratio: number;
}

/** Return the pairs of a theme that cannot be read well, in their order on the screen. */
export function weakPairs(theme: Partial<Record<ColourName, unknown>>): WeakPair[] {
  const colour = (name: ColourName) => String(theme[name] ?? DEFAULTS[name]);
  const pairs = (["text", "primary"] as const).flatMap((name) =>
    (["background", "muted"] as const).map((on) => ({ name, on })),
  );
  return pairs.flatMap(({ name, on }) => {
    if (!isColour(colour(name)) || !isColour(colour(on))) return [];
    const reached = contrast(colour(name), colour(on));
    return reached < LEAST ? [{ name, on, ratio: Math.floor(reached * 100) / 100 }] : [];
  });
}
