export interface Output {
  entry: string | null;
  static: readonly string[];
  brotli: number;
}
type Outputs = Readonly<Record<string, Output>>;
type Row = [what: string, bytes: number, budget: number];

export declare const BEGIN: string;
export declare const MAIN: string;
export declare const OVERVIEW: string;
export declare const EDITOR: string;
export declare const CODE: string;
export declare const BUDGETS: Readonly<Record<"first" | "screen" | "editor" | "code", number>>;
export declare function loadedBy(outputs: Outputs, entry: string): Set<string>;
export declare function bytesOf(outputs: Outputs, names: Iterable<string>): number;
export declare function firstScreen(outputs: Outputs): Set<string>;
export declare function weights(outputs: Outputs): Row[];
export declare function overweight(outputs: Outputs): Row[];
