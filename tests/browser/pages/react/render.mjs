// Prints `{"client", "markup"}`: the page's script, and what the server sends of the page.

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));

const bundle = async (entry, format) => {
  const { outputFiles } = await build({
    entryPoints: [here + entry],
    format,
    bundle: true,
    minify: true,
    write: false,
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0].text;
};

const client = await bundle('client.jsx', 'iife');
const server = await bundle('server.jsx', 'esm');
const { markup } = await import(`data:text/javascript,${encodeURIComponent(server)}`);
// React leaves a message channel open, which would keep the process alive.
process.stdout.write(JSON.stringify({ client, markup }), () => process.exit());
