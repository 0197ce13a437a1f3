/** Return the line, from 1, at which the value of a path such as `blocks[2].links[0].href` begins in a JSON text, or null. */
export function lineOf(text: string, path: string): number | null {
  const wanted = path
    .replaceAll(/\[(\w+)\]/g, ".$1")
    .split(".")
    .filter(Boolean);
  const at = offsetOf(text, wanted);
  return at === null ? null : text.slice(0, at).split("\n").length;
}

/** Return where the value of a path begins, or where the innermost part of it does that is there. */
function offsetOf(text: string, wanted: readonly string[]): number | null {
  const reader = new Reader(text);
  let at = reader.start();
  for (const part of wanted) {
    const inner = reader.child(at, part);
    if (inner === null) break;
    at = inner;
  }
  return at < text.length ? at : null;
}

class Reader {
  constructor(private readonly text: string) {}

  start(): number {
    return this.space(0);
  }

  /** Return where the child of that name or index begins, of the object or list at `at`. */
  child(at: number, name: string): number | null {
    const isObject = this.text[at] === "{";
    if (!isObject && this.text[at] !== "[") return null;
    let position = this.space(at + 1);
    for (let index = 0; position < this.text.length; index++) {
      const mark = this.text[position];
      if (mark === "}" || mark === "]") return null;
      let key = String(index);
      if (isObject) {
        const end = this.end(position);
        key = this.text.slice(position + 1, end - 1);
        position = this.space(this.space(end) + 1);
      }
      if (key === name) return position;
      position = this.space(this.end(position));
      if (this.text[position] === ",") position = this.space(position + 1);
    }
    return null;
  }

  private space(from: number): number {
    let position = from;
    while (" \t\r\n".includes(this.text[position] ?? "x")) position++;
    return position;
  }

  /** Return where the value at `at` ends. */
  private end(at: number): number {
    if (this.text[at] === '"') {
      let position = at + 1;
      while (position < this.text.length && this.text[position] !== '"')
        position += this.text[position] === "\\" ? 2 : 1;
      return position + 1;
    }
    if (this.text[at] !== "{" && this.text[at] !== "[") {
      let position = at;
      while (position < this.text.length && !",]} \t\r\n".includes(this.text[position] ?? "")) position++;
      return Math.max(position, at + 1);
    }
    let depth = 0;
    for (let position = at; position < this.text.length; position++) {
      const mark = this.text[position] ?? "";
      if (mark === '"') position = this.end(position) - 1;
      else if ("{[".includes(mark)) depth++;
      else if ("}]".includes(mark) && --depth === 0) return position + 1;
    }
    return this.text.length;
  }
}
