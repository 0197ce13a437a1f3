/** How the parts of a landing page are described: each field by its kind. */

import type { Option } from "../../kit/choices.tsx";
import type { FileKind } from "../../kit/pictures.tsx";

export type Value = Record<string, unknown>;

interface Base {
  name: string;
  label: string;
  hint?: string;
  isRequired?: boolean;
  /** It takes the whole width. */
  isWide?: boolean;
  /** Whether the part has this field at the moment. */
  when?: (part: Value) => boolean;
}

export interface ListPart extends Base {
  kind: "list";
  /** What one entry is called. */
  one: string;
  least: number;
  most: number;
  fields: readonly Part[];
  /** Which field names an entry. */
  named: string;
  first: Value;
  /** What else changes in an entry where one of its fields is changed. */
  settle?: (before: Value, after: Value) => Value;
}

export interface TextsPart extends Base {
  kind: "texts";
  one: string;
  least: number;
  most: number;
}

export type Part =
  | ListPart
  | TextsPart
  | (Base & { kind: "text" | "address" | "check" | "image" | "cells" })
  | (Base & { kind: "long"; rows?: number })
  | (Base & { kind: "choice"; options: readonly Option[]; standard?: string })
  | (Base & { kind: "number"; unit?: string; min?: number; max?: number; step?: number | "any" })
  | (Base & { kind: "file"; of: FileKind })
  | (Base & { kind: "part"; fields: readonly Part[] });
