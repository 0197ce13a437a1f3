// Bundles src into dist/sdk.js: one expression that evaluates to `start`. With --verify, says whether it is current.

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';
import { minify } from 'terser';

const root = fileURLToPath(new URL('..', import.meta.url));
const output = `${root}dist/sdk.js`;
const BUDGET = 10250;

/**
 * Property names of our own objects, that no config, event, page or browser ever sees: terser shortens these and no
 * others. A list, so that a name forgotten here costs bytes and never behaviour.
 */
const INTERNAL = new RegExp(
  `^(${[
    'anchor|holds|undo|mutation|mark|retired|applied|resolved|positional|whole|contextual|decision|sheets|ran',
    'retire|resume|hop|leave|forced|emitOnce|turn|decided|guard|emit|variation|experiment|held|facts|hashed|reveal',
    'arrive|keep|watch|note|give|unit|cookies|save|first|begin|sticky|fired|address|shown',
  ].join('|')})$`,
);

/** esbuild joins the modules, terser makes them small; both keep to ASCII, as the file may be served as anything. */
const render = async () => {
  const bundle = await build({
    entryPoints: [`${root}src/main.js`],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2020',
    charset: 'ascii',
    legalComments: 'none',
  });
  const body = bundle.outputFiles[0].text.replace(/export \{\s*start\s*\};\s*$/, 'return start;');
  const { code } = await minify(`(()=>{${body}})()`, {
    ecma: 2020,
    compress: { expression: true, passes: 4, unsafe_arrows: true, keep_fargs: false },
    mangle: { toplevel: true, properties: { regex: INTERNAL } },
    format: { ascii_only: true, semicolons: true },
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

const code = await render();
assertShape(code);
const size = brotliSize(code);
console.log(`sdk.js: ${code.length} bytes, ${size} in brotli`);
if (size > BUDGET) throw new Error(`over the budget of ${BUDGET} bytes`);
if (process.argv.includes('--verify')) {
  const committed = await readFile(output, 'utf8').catch(() => '');
  if (committed !== code) {
    console.error('dist/sdk.js is not what src builds to: run `npm run build` and commit it');
    process.exitCode = 1;
  }
} else {
  await writeFile(output, code);
}
