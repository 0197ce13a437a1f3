interface Line {
  mark: " " | "+" | "-" | "@";
  text: string;
}

/** A unified diff, as the API writes it: each line says by its sign what it is. */
export function Patch({ text, label }: { text: string; label: string }) {
  return <Lines lines={linesOf(text)} label={label} />;
}

/** What changes between two texts, line by line, with some lines around it. */
export function TextChange({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = changeOf(before, after);
  return lines.length ? <Lines lines={lines} label={label} /> : <p class="soft">Nothing is changed.</p>;
}

function Lines({ lines, label }: { lines: readonly Line[]; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable with keys
    <section class="patch" aria-label={label} tabIndex={0}>
      <pre>
        {lines.map(({ mark, text }, index) => {
          const line = mark === "@" ? `${text}\n` : `${mark} ${text}\n`;
          if (mark === "+") return <ins key={index}>{line}</ins>;
          if (mark === "-") return <del key={index}>{line}</del>;
          return (
            <span key={index} class={mark === "@" ? "soft" : undefined}>
              {line}
            </span>
          );
        })}
      </pre>
    </section>
  );
}

/** Return the lines of a unified diff, without its header of file names. */
export function linesOf(patch: string): Line[] {
  return patch
    .replace(/\n$/, "")
    .split("\n")
    .filter((line) => !/^(---|\+\+\+) /.test(line) && !line.startsWith("\\"))
    .map((line): Line => {
      if (line.startsWith("@@")) return { mark: "@", text: line };
      const mark = line.startsWith("+") ? "+" : line.startsWith("-") ? "-" : " ";
      return { mark, text: line.slice(1) };
    });
}

const AROUND = 3;
const MOST_PAIRS = 4_000_000;

/** Return the lines that differ between two texts, by their longest common subsequence, with three lines around. */
export function changeOf(before: string, after: string): Line[] {
  const one = before.split("\n");
  const other = after.split("\n");
  const all = one.length * other.length > MOST_PAIRS ? replaced(one, other) : compared(one, other);
  const near = all.map((_, index) => all.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(isChange));
  return all.flatMap((line, index): Line[] => {
    if (near[index]) return [line];
    return index > 0 && near[index - 1] ? [{ mark: "@", text: "…" }] : [];
  });
}

function isChange({ mark }: Line): boolean {
  return mark !== " ";
}

function replaced(one: string[], other: string[]): Line[] {
  return [...one.map((text): Line => ({ mark: "-", text })), ...other.map((text): Line => ({ mark: "+", text }))];
}

function compared(one: string[], other: string[]): Line[] {
  const width = other.length + 1;
  const common = new Uint32Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      common[i * width + j] =
        one[i] === other[j]
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
    }
  }
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < one.length || j < other.length) {
    const isSame = i < one.length && j < other.length && one[i] === other[j];
    const goesOn = (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0);
    if (isSame) {
      lines.push({ mark: " ", text: one[i++] ?? "" });
      j++;
    } else if (i < one.length && (j >= other.length || goesOn)) lines.push({ mark: "-", text: one[i++] ?? "" });
    else lines.push({ mark: "+", text: other[j++] ?? "" });
  }
  return lines;
}
