// Builds the console's sources on React, as console/tools/build.mjs builds them on Preact, and prints its outputs.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { bundled, packed } from "../../../console/tools/bundle.mjs";

const root = fileURLToPath(new URL("../../../console", import.meta.url));
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const installed = (name) => createRequire(import.meta.url).resolve(name);

const files = await bundled({
  absWorkingDir: root,
  tsconfigRaw: { compilerOptions: { jsx: "react-jsx", jsxImportSource: "react" } },
  alias: {
    preact: here("preact.js"),
    "preact/hooks": installed("react"),
    "preact-iso": here("preact-iso.js"),
    "@preact/signals": here("signals.js"),
    react: installed("react"),
    "react/jsx-runtime": installed("react/jsx-runtime"),
    "react-dom/client": installed("react-dom/client"),
  },
});
const sizes = JSON.parse(await readFile(new URL("../../../layers/console/console_files/sizes.json", import.meta.url)));
const begin = Object.values(sizes).find(({ entry }) => entry === "src/begin.ts").brotli;
const outputs = [...files].map(([name, { content, entry, static: parts }]) => [
  name,
  { entry, static: parts, brotli: packed(content).length },
]);
// Neither side needs its library for the script ahead of the others: it weighs the same.
outputs.push(["begin.js", { entry: "src/begin.ts", static: [], brotli: begin }]);
process.stdout.write(JSON.stringify({ outputs: Object.fromEntries(outputs) }));
