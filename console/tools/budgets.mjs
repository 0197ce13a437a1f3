// Holds the last build against its budgets: what each screen loads, in brotli. Ends with 1 where one is exceeded.
import { readFile } from "node:fs/promises";
import { overweight, weights } from "./weight.mjs";

const built = new URL("../../layers/console/console_files/sizes.json", import.meta.url);
const outputs = JSON.parse(await readFile(built, "utf8"));
for (const [what, bytes, budget] of overweight(outputs)) {
  process.stderr.write(
    `${what} has ${bytes} bytes in brotli, more than ${budget}: load a part of it later, or make it smaller\n`,
  );
  process.exitCode = 1;
}
const [[, first], [, editor], [, code], ...later] = weights(outputs);
const largest = Math.max(...later.map(([, bytes]) => bytes));
process.stdout.write(
  `console: first screen ${first} bytes in brotli, editor ${editor}, code fields ${code}, largest of ${later.length} others ${largest}\n`,
);
