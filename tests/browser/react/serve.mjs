// `serve.mjs EDGE KEY`: the shop on a port of its own, which it prints. Ends with its standard input.

import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const [edge, key] = process.argv.slice(2);
const here = fileURLToPath(new URL('.', import.meta.url));
const packages = fileURLToPath(new URL('../../../clients/javascript/', import.meta.url));
const { build } = createRequire(packages)('esbuild');

const bundle = async (entry, format) => {
  const { outputFiles } = await build({
    entryPoints: [here + entry],
    format,
    bundle: true,
    write: false,
    jsx: 'automatic',
    nodePaths: [`${packages}node_modules`],
    alias: {
      '@abtest/storefront': `${packages}dist/index.js`,
      '@abtest/storefront/react': `${packages}dist/react.js`,
      '@abtest/storefront/server': `${packages}dist/server.js`,
    },
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  return outputFiles[0].text;
};

const client = await bundle('client.jsx', 'iife');
const server = await bundle('server.jsx', 'esm');
const { answer } = await import(`data:text/javascript,${encodeURIComponent(server)}`);

const shop = createServer((request, response) => {
  if (request.url === '/client.js') {
    response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' }).end(client);
    return;
  }
  const origin = `http://${request.headers.host}`;
  answer(request, response, { origin, edge, key }).catch((error) => {
    response.writeHead(500).end(String(error));
  });
});
shop.listen(0, '127.0.0.1', () => console.log(shop.address().port));
process.stdin.on('end', () => process.exit()).resume();
