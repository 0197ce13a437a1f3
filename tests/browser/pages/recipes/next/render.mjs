// Reads `{"layout", "limit"}`, the files `app/layout.tsx` and `app/abtest-limit.ts`; prints `{"html", "client"}`.

import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const { layout, limit } = JSON.parse(await text(process.stdin));
const files = { 'recipe:layout': [layout, 'tsx'], './abtest-limit': [limit, 'ts'] };

const recipe = {
  name: 'recipe',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^recipe:|abtest-limit$/ }, ({ path }) => ({ path, namespace: 'recipe' }));
    onLoad({ filter: /./, namespace: 'recipe' }, ({ path }) => {
      const [contents, loader] = files[path];
      return { contents, loader, resolveDir: here };
    });
  },
};

const bundle = async (entry) => {
  const { outputFiles } = await build({
    entryPoints: [here + entry],
    format: 'esm',
    target: 'es2022',
    bundle: true,
    minify: true,
    write: false,
    jsx: 'automatic',
    plugins: [recipe],
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0].text;
};

const client = await bundle('client.jsx');
const { render } = await import(`data:text/javascript,${encodeURIComponent(await bundle('server.jsx'))}`);
// React leaves a message channel open, which would keep the process alive.
process.stdout.write(JSON.stringify({ client, html: await render() }), () => process.exit());
