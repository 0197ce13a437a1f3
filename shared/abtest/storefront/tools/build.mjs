// Bundles src into dist/sdk.js: one expression that evaluates to `start`. With --verify, says whether it is current.

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';
import { minify } from 'terser';
import { markCalls } from './calls.mjs';
import { markShared } from './shared_code.mjs';
import { setsOf } from './sets.mjs';
import { BOUNDARY, cut, nameMarks, PARTS, proveParts, wasteOf, withRequired } from './parts.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const output = `${root}dist/sdk.js`;
const pixelOutput = `${root}dist/pixel.js`;
const bridgeOutput = `${root}dist/bridge.js`;
const toolOutput = `${root}dist/qa.js`;
const barOutput = `${root}dist/bar.js`;
const editorOutput = `${root}dist/editor.js`;
const setsOutput = `${root}dist/sets.json`;
const namesPath = `${root}names.json`;
const CORE_BUDGET = 5370;
/** With every part. */
const BUDGET = 17950;
const PIXEL_BUDGET = 5000;
const BRIDGE_BUDGET = 2210;
const TOOL_BUDGET = 24000;
const BAR_BUDGET = 15 * 1024;
const EDITOR_BUDGET = 12 * 1024;

/**
 * Property names of our own objects, that no config, event, page or browser ever sees: terser shortens these and no
 * others. Names that begin with `_`, and a list, so that a name forgotten here costs bytes and never behaviour.
 */
const INTERNAL = /^(_[a-zA-Z]+|address|experiment|facts|fired|forced|hashed|held|shown|sticky|unit|variation)$/;

/** What begins like ours and is known outside: fields of requests, and of carts. */
const PUBLIC = ['_shopId', '_signature', '_svc'];

const COMPRESS = {
  expression: true,
  unsafe: true, // texts are joined by `+`; no template of ours holds an object with a `valueOf` of its own
  unsafe_arrows: true,
  keep_fargs: false,
};

/** Puts each part between two marks. A module stands where it is first imported: with core, or with the first part. */
const entryOf = () => {
  let entry = `export { start } from './main.js';\n`;
  for (const name of Object.keys(PARTS)) {
    entry += `import 'mark:begin-${name}';\nimport './${name}.js';\nimport 'mark:end-${name}';\n`;
  }
  return entry;
};

const marks = {
  name: 'marks',
  setup(bundler) {
    bundler.onResolve({ filter: /^mark:/ }, ({ path }) => ({ path, namespace: 'mark', sideEffects: true }));
    bundler.onLoad({ filter: /./, namespace: 'mark' }, () => ({ contents: BOUNDARY }));
  },
};

/**
 * Short names of properties: the tool reads what the SDK of a page left, perhaps that of an earlier release, which a
 * shop has until it is published again. So a name, once given, stays.
 */
const nameCache = { props: { props: JSON.parse(await readFile(namesPath, 'utf8').catch(() => '{}')) } };

/** esbuild joins the modules, terser makes them small; both keep to ASCII, as the file may be served as anything. */
const render = async (contents) => {
  const bundle = await build({
    stdin: { contents, resolveDir: `${root}src` },
    plugins: [marks],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2020',
    charset: 'ascii',
    legalComments: 'none',
    minifySyntax: true,
  });
  const body = bundle.outputFiles[0].text.replace(/export \{\s*(\w+)(?: as start)?\s*\};\s*$/, 'return $1;');
  const { code } = await minify(`(()=>{${body}})()`, {
    ecma: 2020,
    compress: { ...COMPRESS, passes: 4, inline: 1, drop_debugger: false },
    mangle: { toplevel: true, properties: { regex: INTERNAL, reserved: PUBLIC } },
    format: { ascii_only: true, semicolons: true },
    nameCache,
  });
  return code.replace(/[;\s]+$/, '');
};

/** What the snippet relies on: safe inside parentheses, before a call, and inside a script element. */
const assertShape = (code) => {
  if (/<\/script|<!--|[^\x20-\x7e\n]/i.test(code)) {
    throw new Error('the bundle cannot stand in a script element');
  }
  const value = new Function(`return (${code})`)();
  if (typeof value !== 'function') throw new Error('the bundle is not an expression that gives a function');
};

const brotliSize = (code) =>
  brotliCompressSync(code, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;

/** Sizes in brotli: core, what each part adds to core and its requirements, everything. */
const sizesOf = (code) => {
  const sizeOf = (names) => brotliSize(cut(code, names));
  const sizes = [['core', sizeOf(new Set()), CORE_BUDGET]];
  for (const [name, { requires, budget }] of Object.entries(PARTS)) {
    sizes.push([name, sizeOf(withRequired([name])) - sizeOf(withRequired(requires)), budget]);
  }
  sizes.push(['everything', sizeOf(withRequired(Object.keys(PARTS))), BUDGET]);
  return sizes;
};

const parted = nameMarks(await render(entryOf()));
const code = markShared(markCalls(parted, (name) => withRequired([name])));
const pixel = await render(`export { start } from './pixel.js';`);
const bridge = await render(`export { start } from '../bridge/bridge.js';`);
const tool = await render(`export { start } from '../tool/tool.js';`);
const bar = await render(`export { start } from '../bar/bar.js';`);
const editor = await render(`export { start } from '../editor/editor.js';`);
const sets = await setsOf(code, COMPRESS);
for (const text of [code, pixel, bridge, tool, bar, editor, ...sets.map((set) => set.code)]) assertShape(text);
proveParts(code);
for (const text of wasteOf(code)) console.warn(`in core for parts only: ${text.slice(0, 70)}`);
const sizes = sizesOf(code);
sizes.push(['pixel', brotliSize(pixel), PIXEL_BUDGET], ['bridge', brotliSize(bridge), BRIDGE_BUDGET]);
for (const set of sets) sizes.push([`set of ${set.parts.length} parts`, brotliSize(set.code), set.budget]);
sizes.push(['tool', brotliSize(tool), TOOL_BUDGET], ['bar', brotliSize(bar), BAR_BUDGET]);
sizes.push(['editor', brotliSize(editor), EDITOR_BUDGET]);
for (const [name, size, budget] of sizes) console.log(`${name.padEnd(20)}${`${size}`.padStart(7)} of ${budget}`);
for (const [path, text] of [
  [output, code],
  [pixelOutput, pixel],
  [bridgeOutput, bridge],
  [toolOutput, tool],
  [barOutput, bar],
  [editorOutput, editor],
  [setsOutput, `${JSON.stringify(sets.map(({ parts, code: made }) => ({ parts, code: made })))}\n`],
  [namesPath, `${JSON.stringify(nameCache.props.props, null, 2)}\n`],
]) {
  if (!process.argv.includes('--verify')) await writeFile(path, text);
  else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
    console.error(`${path.slice(root.length)} is not what src builds to: run \`npm run build\` and commit it`);
    process.exitCode = 1;
  }
}
const over = sizes.filter(([, size, budget]) => size > budget);
if (over.length) throw new Error(`over budget: ${over.map(([name]) => name).join(', ')}`);
