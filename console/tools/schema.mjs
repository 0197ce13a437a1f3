// Writes src/api/schema.d.ts, the types of the API, from its OpenAPI document. Not committed: the document is.
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";

const types = createRequire(new URL("../types/package.json", import.meta.url));
const { default: openapiTS, astToString } = types("openapi-typescript");

const target = new URL("../src/api/schema.d.ts", import.meta.url);
const document = JSON.parse(await readFile(new URL("../../docs/api/openapi.json", import.meta.url), "utf8"));
const text = astToString(await openapiTS(document));
const present = await readFile(target, "utf8").catch(() => "");
if (present !== text) await writeFile(target, text);
