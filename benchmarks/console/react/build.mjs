// Builds the console's sources on React, as console/tools/build.mjs builds them on Preact, and prints its outputs.
import { createRequire } from "node:module";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const root = fileURLToPath(new URL("../../../console", import.meta.url));
const { build } = createRequire(`${root}/package.json`)("esbuild");
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const installed = (name) => createRequire(import.meta.url).resolve(name);

const result = await build({
  absWorkingDir: root,
  entryPoints: ["src/main.tsx"],
  outdir: "out",
  write: false,
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  metafile: true,
  legalComments: "none",
  tsconfigRaw: { compilerOptions: { jsx: "react-jsx", jsxImportSource: "react" } },
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  alias: {
    preact: here("preact.js"),
    "preact/hooks": installed("react"),
    "preact-iso": here("preact-iso.js"),
    "@preact/signals": here("signals.js"),
    react: installed("react"),
    "react/jsx-runtime": installed("react/jsx-runtime"),
    "react-dom/client": installed("react-dom/client"),
  },
  define: { "process.env.NODE_ENV": '"production"' },
  logLevel: "warning",
});

const contents = new Map(result.outputFiles.map((file) => [basename(file.path), file.contents]));
const outputs = Object.fromEntries(
  Object.entries(result.metafile.outputs).map(([path, { entryPoint, imports }]) => [
    basename(path),
    {
      entry: entryPoint ?? null,
      static: imports.filter(({ kind }) => kind === "import-statement").map((each) => basename(each.path)),
      brotli: compressed(contents.get(basename(path))),
    },
  ]),
);
process.stdout.write(JSON.stringify({ outputs }));

function compressed(content) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  return brotliCompressSync(content, { params }).length;
}
