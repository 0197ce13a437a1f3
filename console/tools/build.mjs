// Builds the console into layers/console/console_files: hashed assets, their brotli copies, and the one page.

import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = fileURLToPath(new URL("../../layers/console/console_files", import.meta.url));
const draft = `${target}.new`;

await rm(draft, { recursive: true, force: true });
await mkdir(join(draft, "assets"), { recursive: true });
const result = await build({
  absWorkingDir: root,
  entryPoints: ["src/main.tsx"],
  outdir: join(draft, "assets"),
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  metafile: true,
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  define: { "process.env.NODE_ENV": '"production"' },
  logLevel: "warning",
});

const outputs = Object.entries(result.metafile.outputs);
const [main, entry] = outputs.find(([, output]) => output.entryPoint === "src/main.tsx");
const first = entry.imports.filter((each) => each.kind === "import-statement").map((each) => basename(each.path));
for (const [path] of outputs) if (path.endsWith(".js")) await importAtOnce(path);

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>abtest</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console/assets/${basename(entry.cssBundle)}">
${first.map((name) => `<link rel="modulepreload" href="/console/assets/${name}">\n`).join("")}<script type="module" src="/console/assets/${basename(main)}"></script>
</head>
<body><div id="console"></div><noscript>The console needs JavaScript. The API does everything that it does.</noscript></body>
</html>
`;
await writeFile(join(draft, "index.html"), page);
const brotli = new Map();
for (const name of await readdir(join(draft, "assets"))) {
  const content = await readFile(join(draft, "assets", name));
  const options = {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
  };
  const compressed = brotliCompressSync(content, options);
  brotli.set(name, compressed.length);
  await writeFile(join(draft, "assets", `${name}.br`), compressed);
}
await writeFile(join(draft, "sizes.json"), JSON.stringify(sizes(), null, 1));
await rm(target, { recursive: true, force: true });
await rename(draft, target);

/**
 * Let an output that loads a screen load what the screen imports with it, instead of after it: a screen then takes one
 * round trip, not two. What the first screen has anyway is left out.
 */
async function importAtOnce(path) {
  const file = join(root, path);
  const code = await readFile(file, "utf8");
  const loaded = new Set([basename(main), ...first]);
  const together = code.replace(/\bimport\("\.\/([^"]+)"\)/g, (alone, name) => {
    const { imports } = result.metafile.outputs[join(path, "..", name)];
    const more = imports.filter((each) => each.kind === "import-statement" && !loaded.has(basename(each.path)));
    const all = [name, ...more.map((each) => basename(each.path))].map((each) => `import("./${each}")`);
    return more.length ? `Promise.all([${all}]).then(([it])=>it)` : alone;
  });
  if (together !== code) await writeFile(file, together);
}

/** Return, by file name, bytes as they are and in brotli, its source, and what it imports at once. */
function sizes() {
  return Object.fromEntries(
    outputs.map(([path, output]) => [
      basename(path),
      {
        bytes: output.bytes,
        brotli: brotli.get(basename(path)),
        entry: output.entryPoint ?? null,
        imports: output.imports.map((each) => basename(each.path)),
        static: output.imports.filter(({ kind }) => kind === "import-statement").map((each) => basename(each.path)),
      },
    ]),
  );
}
