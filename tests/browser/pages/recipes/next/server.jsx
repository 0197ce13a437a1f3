// The document as a server streams it, with the data for the client that Next puts between its parts.

import { renderToReadableStream } from 'react-dom/server.browser';
import Layout from 'recipe:layout';
import { Page } from './page.jsx';

const data = ['[0]', '[1,"1:\\"$Sreact.fragment\\"\\n"]'];

export const render = async () => {
  const stream = await renderToReadableStream(
    <Layout>
      <Page />
    </Layout>,
    { bootstrapModules: ['/_next/static/chunks/main.js'] },
  );
  const html = await new Response(stream).text();
  const scripts = data.map((each) => `<script>(self.__next_f=self.__next_f||[]).push(${each})</script>`);
  return html.replace('</body>', `${scripts.join('')}</body>`);
};
