export interface FieldProblem {
  path: string;
  message: string;
}

interface Parts {
  status: number;
  code: string;
  message: string;
  fields?: FieldProblem[];
  requestId?: string | null;
  envelope?: Record<string, unknown>;
}

/** What went wrong with a call. `status` is 0 where no answer came. `envelope` is the whole answer. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: readonly FieldProblem[];
  readonly requestId: string | null;
  readonly envelope: Record<string, unknown>;

  constructor(parts: Parts) {
    super(parts.message);
    this.status = parts.status;
    this.code = parts.code;
    this.fields = parts.fields ?? [];
    this.requestId = parts.requestId ?? null;
    this.envelope = parts.envelope ?? {};
  }
}

/** Return the problem of a call to which no answer came. */
export function noAnswer(): Problem {
  return new Problem({ status: 0, code: "no_answer", message: "The service does not answer. Check your connection." });
}

/** Read the error envelope of the API; anything else becomes a sentence with the status. */
export function problemOf(response: Response, body: unknown): Problem {
  const envelope = isRecord(body) ? body : {};
  const error = isRecord(envelope.error) ? envelope.error : {};
  return new Problem({
    status: response.status,
    code: text(error.code) ?? "unexpected",
    message: text(error.message) ?? `The service answered with status ${response.status}.`,
    fields: Array.isArray(error.fields) ? error.fields.filter(isField) : [],
    requestId: text(error.request_id) ?? response.headers.get("X-Request-Id"),
    envelope,
  });
}

/** Return what was thrown as a Problem: a fault of the console itself is one, too. */
export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  return new Problem({
    status: -1,
    code: "console",
    message: thrown instanceof Error ? thrown.message : String(thrown),
  });
}

/** Return the messages for one field and what is inside it, by paths such as `goals[0].name` or `goals.0.name`. */
export function messagesFor(problem: Problem | null, path: string): string[] {
  if (!problem) return [];
  const wanted = dotted(path);
  return problem.fields.filter((field) => dotted(field.path) === wanted).map((field) => worded(field.message));
}

/** Return the messages for the entries of a list that one control shows: the entry is named by its number. */
export function messagesOfEntries(problem: Problem | null, path: string): FieldProblem[] {
  const start = `${dotted(path)}.`;
  return (problem?.fields ?? []).flatMap((field) => {
    const entry = dotted(field.path).startsWith(start) ? dotted(field.path).slice(start.length) : "";
    return /^\d+$/.test(entry) ? [{ path: field.path, message: `Entry ${Number(entry) + 1}: ${field.message}` }] : [];
  });
}

/** Return the problems of fields that no control on the screen shows. */
export function unshown(problem: Problem, shown: Iterable<string>): FieldProblem[] {
  const known = new Set([...shown].map(dotted));
  return problem.fields.filter((field) => !known.has(dotted(field.path)));
}

const PLAINER: Record<string, string> = {
  "is required": "Fill this in.",
  "must not be empty": "Fill this in.",
  "must have 1 or more characters": "Fill this in.",
  "must have 1 or more items": "Choose at least one.",
};

/** Return a message of the API, written for programs, as a sentence for the field below which it stands. */
function worded(message: string): string {
  const sentence = message.charAt(0).toUpperCase() + message.slice(1);
  return PLAINER[message] ?? (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`);
}

function dotted(path: string): string {
  return path.replace(/^body\./, "").replaceAll(/\[(\w+)\]/g, ".$1");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | null {
  return typeof value === "string" && value ? value : null;
}

function isField(value: unknown): value is FieldProblem {
  return isRecord(value) && typeof value.path === "string" && typeof value.message === "string";
}
