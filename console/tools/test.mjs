// Runs the unit tests in Node: esbuild makes a module of each, as TypeScript and JSX need it.
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const outdir = await mkdtemp(join(tmpdir(), "console-tests-"));
const tests = (await readdir(join(root, "tests"))).filter(
  (name) => name.endsWith(".test.ts") || name.endsWith(".test.tsx"),
);
await build({
  absWorkingDir: root,
  entryPoints: tests.map((name) => join("tests", name)),
  outdir,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
});
const files = (await readdir(outdir)).filter((name) => name.endsWith(".test.mjs")).map((name) => join(outdir, name));
const { status } = spawnSync(process.execPath, ["--test", "--test-reporter=dot", ...files], { stdio: "inherit" });
await rm(outdir, { recursive: true });
process.exit(status ?? 1);
