// Bundles parser/ with acorn into the file that checks customers' scripts. With --verify, says whether it is current.

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const output = `${root}../adapters/scripts/parser.js`;

const licence = await readFile(`${root}node_modules/acorn/LICENSE`, 'utf8');
const { version } = JSON.parse(await readFile(`${root}node_modules/acorn/package.json`, 'utf8'));
const bundle = await build({
  entryPoints: [`${root}parser/first_error.js`],
  bundle: true,
  write: false,
  format: 'iife',
  target: 'es2020',
  charset: 'ascii',
  minify: true,
  banner: { js: `/*! Built from storefront/parser with acorn ${version}.\n\n${licence.trim()}\n*/` },
});
const code = bundle.outputFiles[0].text;
console.log(`parser.js: ${code.length} bytes`);
if (process.argv.includes('--verify')) {
  const committed = await readFile(output, 'utf8').catch(() => '');
  if (committed !== code) {
    console.error('adapters/scripts/parser.js is not what parser/ builds to: run `npm run build` and commit it');
    process.exitCode = 1;
  }
} else {
  await writeFile(output, code);
}
