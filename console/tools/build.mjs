// Builds the console into layers/console/console_files: hashed assets, their brotli copies, the page, and `screens.json`
// with what the page gets for each screen.

import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundled, packed } from "./bundle.mjs";
import { entriesOf, frameOf, screensOf } from "./screens.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = fileURLToPath(new URL("../../layers/console/console_files", import.meta.url));
const draft = `${target}.new`;

const own = await readFile(fileURLToPath(import.meta.url));
const files = await bundled({ absWorkingDir: root, jsx: "automatic", jsxImportSource: "preact" }, own);
const [main, { css }] = [...files].find(([, { entry }]) => entry === "src/main.tsx");
const screenOf = new Map([...files].filter(([, { entry }]) => entry).map(([name, { entry }]) => [entry, name]));
for (const file of files.values()) file.content = Buffer.from(importAtOnce(file.content.toString()));
const begin = await beginning();
files.set(begin.name, begin);

const { groups, screens } = await screensOf(root);
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>abtest</title>
<link rel="icon" href="data:,">
<script src="/console/assets/${begin.name}" data-shop="" data-first=""></script>
<link rel="stylesheet" href="/console/assets/${css}">
<script type="module" src="/console/assets/${main}"></script>
<!-- scripts of the screen -->
</head>
<body><div id="console"><!-- frame --></div><noscript>The console needs JavaScript. The API does everything that it does.</noscript></body>
</html>
`;
await rm(draft, { recursive: true, force: true });
await mkdir(join(draft, "assets"), { recursive: true });
await writeFile(join(draft, "index.html"), page);
const entries = entriesOf(screens, (source) => withParts(screenOf.get(source)));
await writeFile(join(draft, "screens.json"), JSON.stringify({ frame: frameOf(groups, screens), screens: entries }));
const sizes = {};
for (const [name, { content, entry, static: parts, later }] of files) {
  const compressed = packed(content);
  await writeFile(join(draft, "assets", name), content);
  await writeFile(join(draft, "assets", `${name}.br`), compressed);
  const bytes = { bytes: content.length, brotli: compressed.length };
  sizes[name] = { ...bytes, entry, imports: [...parts, ...later], static: parts };
}
await writeFile(join(draft, "sizes.json"), JSON.stringify(sizes, null, 1));
await rm(target, { recursive: true, force: true });
await rename(draft, target);

/**
 * Let a script that loads a screen load what the screen imports with it, instead of after it: a screen then takes one
 * round trip, not two.
 */
function importAtOnce(code) {
  return code.replace(/\bimport\("\.\/([^"]+)"\)/g, (alone, name) => {
    const all = withParts(name).map((each) => `import("./${each}")`);
    return all.length > 1 ? `Promise.all([${all}]).then(([it])=>it)` : alone;
  });
}

/** Return a script and the others that it imports at once, without the first. */
function withParts(name) {
  return [name, ...files.get(name).static.filter((each) => each !== main)];
}

/** Return the script that runs ahead of the others. */
async function beginning() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["src/begin.ts"],
    outdir: "out",
    bundle: true,
    format: "iife",
    target: "es2022",
    minify: true,
    write: false,
    entryNames: "[name]-[hash]",
    logLevel: "warning",
  });
  const [{ path, contents }] = outputFiles;
  return { name: path.split("/").at(-1), content: Buffer.from(contents), entry: "src/begin.ts", static: [], later: [] };
}
