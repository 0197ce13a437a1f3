// What Next's own script does: it loads scripts of `next/script` one by one, then takes over the whole document.

import { hydrateRoot } from 'react-dom/client';
import Layout from 'recipe:layout';
import { Page } from './page.jsx';

const load = ([src, props]) =>
  new Promise((done) => {
    const script = Object.assign(document.createElement('script'), props, { src, onload: done, onerror: done });
    document.body.append(script);
  });

window.recovered = [];
for (const each of window.__next_s || []) await load(each);
hydrateRoot(
  document,
  <Layout>
    <Page />
  </Layout>,
  { onRecoverableError: (error) => window.recovered.push(error.message) },
);
