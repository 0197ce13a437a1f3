// Reads outputs of a build, and prints the rows of console/tools/weight.mjs for them.
import { readFileSync } from "node:fs";
import { weights } from "../../console/tools/weight.mjs";

process.stdout.write(JSON.stringify(weights(JSON.parse(readFileSync(0, "utf8")))));
