// `npm test`: builds, runs the unit tests, and checks the package that would be published.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('..', import.meta.url));
const MODULES = ['bootstrap', 'decisions', 'index', 'react', 'server', 'snippet', 'store'];
const EXPECTED = [
  'LICENSE',
  'README.md',
  'package.json',
  'dist/bots.js',
  'dist/svc.d.ts',
  ...MODULES.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]),
].sort();
const MAX_BYTES = 30_000;

const run = (command, args, options = {}) => execFileSync(command, args, { cwd: here, stdio: 'inherit', ...options });

/** Run a checker, whose output only matters if it finds something. */
const check = (command, args) => {
  try {
    run(bin(command), args, { stdio: 'pipe' });
  } catch (error) {
    process.stdout.write(`${error.stdout}${error.stderr}`);
    throw error;
  }
};
const bin = (name) => `${here}node_modules/.bin/${name}`;

run('node', ['tools/build.mjs']);
const tests = readdirSync(`${here}test`).filter((name) => name.endsWith('.test.mjs'));
// React leaves a message channel open, which would keep the process alive.
const options = ['--test', '--test-force-exit', '--test-reporter=dot', '--test-timeout=60000'];
run('node', [...options, ...tests.map((name) => `test/${name}`)]);

const folder = mkdtempSync(join(tmpdir(), 'storefront-package-'));
try {
  const packed = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { stdio: 'pipe' });
  const [{ filename, files, size }] = Object.values(JSON.parse(packed));
  const names = files.map(({ path }) => path).sort();
  if (names.join() !== EXPECTED.join()) throw new Error(`the package has ${names.join(', ')}`);
  if (size > MAX_BYTES) throw new Error(`the package has ${size} bytes, more than ${MAX_BYTES}`);
  console.log(`${filename}: ${names.length} files, ${size} bytes`);
  const tarball = join(folder, filename);
  check('publint', ['--strict', tarball]);
  // The package has ECMAScript modules only.
  check('attw', [tarball, '--profile', 'esm-only']);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
