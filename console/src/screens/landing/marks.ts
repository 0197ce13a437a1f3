/** Marks of Markdown around what is selected in a text. */

export interface Selected {
  text: string;
  from: number;
  to: number;
}

export type Mark = "bold" | "italic" | "link" | "list";

const AROUND = { bold: "**", italic: "*" } as const;

/** Return a text with a mark around its selection, or without where it has that mark; the selection stays on the words. */
export function marked({ text, from, to }: Selected, mark: Mark): Selected {
  if (mark === "list") return listed({ text, from, to });
  const words = text.slice(from, to);
  if (mark === "link") {
    const label = words || "words";
    const whole = `[${label}](/)`;
    // The address is what has to be typed next.
    const address = from + label.length + 3;
    return { text: text.slice(0, from) + whole + text.slice(to), from: address, to: address + 1 };
  }
  const sign = AROUND[mark];
  const [before, after] = [text.slice(0, from), text.slice(to)];
  if (has(before, sign, "end") && has(after, sign, "start")) {
    const start = before.slice(0, -sign.length);
    return { text: start + words + after.slice(sign.length), from: start.length, to: start.length + words.length };
  }
  const put = words || "words";
  return {
    text: before + sign + put + sign + after,
    from: from + sign.length,
    to: from + sign.length + put.length,
  };
}

/** One star is not the mark where there are two: they are bold. Three are both. */
function has(text: string, sign: string, where: "start" | "end"): boolean {
  const stars = (where === "end" ? /\**$/ : /^\**/).exec(text)?.[0].length ?? 0;
  return sign === "**" ? stars >= 2 : stars % 2 === 1;
}

function listed({ text, from, to }: Selected): Selected {
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const end = text.indexOf("\n", to) < 0 ? text.length : text.indexOf("\n", to);
  const lines = text.slice(start, end).split("\n");
  const isListed = lines.every((line) => line.startsWith("- "));
  const changed = lines
    .map((line) => (isListed ? line.slice(2) : line.startsWith("- ") ? line : `- ${line}`))
    .join("\n");
  // A list begins after an empty line, or what stands above would be part of its first entry.
  const gap = !isListed && start > 0 && !/(^|\n)(- .*)?\n$/.test(text.slice(0, start)) ? "\n" : "";
  const put = gap + changed;
  return { text: text.slice(0, start) + put + text.slice(end), from: start + gap.length, to: start + put.length };
}
