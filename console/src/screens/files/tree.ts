import type { Schemas } from "../../api/client.ts";
import { Problem } from "../../api/problems.ts";

export type Written = Pick<Schemas["WrittenFile"], "path" | "content">;

/** A file that a person chose: alone, or in a folder. */
export interface Chosen {
  name: string;
  webkitRelativePath?: string;
  text: () => Promise<string>;
}

/**
 * Return chosen files as the tree of an experiment: a folder without its own name, or one JSON file that was downloaded
 * here. Throws a Problem where that file is something else.
 */
export async function treeOf(chosen: readonly Chosen[]): Promise<Written[]> {
  const [only] = chosen;
  if (chosen.length === 1 && only && !only.webkitRelativePath) return downloaded(only);
  const files = await Promise.all(chosen.map(async (file) => ({ path: pathOf(file), content: await file.text() })));
  return files.filter(({ path }) => !path.split("/").some((part) => part.startsWith(".")));
}

async function downloaded(file: Chosen): Promise<Written[]> {
  const tree: unknown = await file
    .text()
    .then(JSON.parse)
    .catch(() => null);
  const files = typeof tree === "object" && tree !== null && "files" in tree ? tree.files : null;
  if (Array.isArray(files) && files.every(isWritten)) return files.map(({ path, content }) => ({ path, content }));
  const message = `${file.name} is no tree of an experiment. Choose the folder with its files, or a file that was downloaded here.`;
  throw new Problem({ status: -1, code: "tree", message });
}

function isWritten(file: unknown): file is Written {
  return typeof file === "object" && file !== null && "path" in file && "content" in file;
}

function pathOf({ name, webkitRelativePath }: Chosen): string {
  return webkitRelativePath ? webkitRelativePath.slice(webkitRelativePath.indexOf("/") + 1) : name;
}

/** Save a text as a file of this computer. */
export function save(name: string, content: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "application/json" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
