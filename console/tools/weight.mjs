// What a browser loads for a screen, from the outputs of a build: by file, so that what two screens share counts once.

export const MAIN = "src/main.tsx";
/** The script ahead of the others. */
export const BEGIN = "src/begin.ts";
export const OVERVIEW = "src/screens/overview/overview.tsx";
export const EDITOR = "src/editor/editor.tsx";
/** The editor of code fields, which is loaded when one of them is seen. */
export const CODE = "src/kit/code_mirror.ts";

/** Kilobytes are 1,000 bytes, in brotli at its best. */
export const BUDGETS = { first: 60_000, screen: 15_000, editor: 40_000, code: 145_000 };

/**
 * Return the names of an entry's script and of all that it imports statically.
 *
 * `outputs` has, by file name, its `entry` (null for shared code), its `static` imports, and its `brotli` bytes.
 */
export function loadedBy(outputs, entry) {
  const [start] = Object.entries(outputs).find(([, output]) => output.entry === entry) ?? [];
  if (!start) throw new Error(`no script is made of ${entry}`);
  const names = new Set([start]);
  for (const name of names) for (const each of outputs[name].static) names.add(each);
  return names;
}

/** Return the bytes of files together. */
export function bytesOf(outputs, names) {
  return [...names].reduce((sum, name) => sum + outputs[name].brotli, 0);
}

/** Return the scripts of the first screen: the page's own, the frame and the overview. */
export function firstScreen(outputs) {
  return new Set([...loadedBy(outputs, BEGIN), ...loadedBy(outputs, MAIN), ...loadedBy(outputs, OVERVIEW)]);
}

/**
 * Return rows of [what, bytes, budget]: the first screen, the editor, code fields, and every other script that is
 * loaded later.
 *
 * Editor and code fields count with all that is loaded for them after the first screen. Other scripts count alone: what
 * screens share stands in scripts of its own, each held against the same budget.
 */
export function weights(outputs) {
  const first = firstScreen(outputs);
  const editor = [...loadedBy(outputs, EDITOR)].filter((name) => !first.has(name));
  const code = [...loadedBy(outputs, CODE)].filter((name) => !first.has(name));
  const later = Object.entries(outputs).filter(
    ([name, { entry }]) => isScript(name) && !first.has(name) && entry !== EDITOR && entry !== CODE,
  );
  return [
    ["first screen", bytesOf(outputs, first), BUDGETS.first],
    ["editor", bytesOf(outputs, editor), BUDGETS.editor],
    ["code fields", bytesOf(outputs, code), BUDGETS.code],
    ...later.map(([name, { entry, brotli }]) => [entry ?? name, brotli, BUDGETS.screen]),
  ];
}

/** Return the rows above their budget. */
export function overweight(outputs) {
  return weights(outputs).filter(([, bytes, budget]) => bytes > budget);
}

function isScript(name) {
  return name.endsWith(".js");
}
