// Writes dist/: modules and their types. What the SDK has already comes from there: its types, and its check for bots.

import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('..', import.meta.url));
const root = `${here}../../`;
const sdk = `${root}shared/abtest/storefront/`;

rmSync(`${here}dist`, { recursive: true, force: true });
execFileSync(`${here}node_modules/.bin/tsc`, { cwd: here, stdio: 'inherit' });
copyFileSync(`${sdk}svc.d.ts`, `${here}dist/svc.d.ts`);
copyFileSync(`${sdk}src/bots.js`, `${here}dist/bots.js`);
copyFileSync(`${root}LICENSE`, `${here}LICENSE`);
