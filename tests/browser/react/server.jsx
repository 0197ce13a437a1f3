// A shop's server, as the package's README has it: the visitor's cookie, the assignments, the markup.

import { StrictMode } from 'react';
import { renderToString } from 'react-dom/server.browser';
import { assign, newVisitor, serialize } from '@abtest/storefront/server';
import { App } from './app.jsx';

const KNOWN = { country: 'DE' };

export const answer = async (request, response, { origin, edge, key }) => {
  const page = {
    url: origin + request.url,
    cookie: request.headers.cookie,
    userAgent: request.headers['user-agent'],
  };
  const visitor = newVisitor({ ...page, consentMode: false });
  const { bootstrap, error } = await assign({ ...page, visitor, edge, key, attributes: KNOWN, timeoutMs: 20_000 });
  if (error) throw error;
  const markup = renderToString(
    <StrictMode>
      <App bootstrap={bootstrap} />
    </StrictMode>,
  );
  const query = new URL(page.url).searchParams;
  const known = JSON.stringify({ country: query.get('country') ?? KNOWN.country });
  const tag = query.has('without') ? '' : `<script>window.svc = ${known}</script><script src="${edge}/s.js"></script>`;
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'private, no-store',
    ...(visitor && { 'set-cookie': visitor.header }),
  });
  response.end(`<!doctype html><html><head><title>Shop</title><link rel="icon" href="data:,">${tag}</head><body>
<div id="root">${markup}</div>
<script type="application/json" id="bootstrap">${serialize(bootstrap)}</script>
<script src="/client.js"></script></body></html>`);
};
