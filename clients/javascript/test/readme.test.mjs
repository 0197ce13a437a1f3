// The README names what the package exports, and all of it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const IMPORT = /import \{([^}]+)\} from '(@abtest\/storefront[^']*)'/g;

test('each import of the README is exported, and each export is in its table', async () => {
  const entries = ['@abtest/storefront', '@abtest/storefront/react', '@abtest/storefront/server'];
  const imported = [...README.matchAll(IMPORT)].map(([, names, entry]) => [entry, names.split(',')]);
  assert.deepEqual([...new Set(imported.map(([entry]) => entry))].sort(), entries);
  for (const [entry, names] of imported) {
    const module = await import(entry);
    for (const name of names) assert.ok(name.trim() in module, `${entry} has no ${name}`);
  }
  for (const entry of entries) {
    const row = README.split('\n').find((line) => line.startsWith(`| \`${entry}\` |`));
    for (const name of Object.keys(await import(entry))) assert.ok(row.includes(name), `${name} is not in its row`);
  }
});
