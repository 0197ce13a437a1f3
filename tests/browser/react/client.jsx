// Takes over the markup that the server rendered, with the bootstrap that it sent.

import { StrictMode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { App } from './app.jsx';

const bootstrap = JSON.parse(document.getElementById('bootstrap').textContent);
hydrateRoot(
  document.getElementById('root'),
  <StrictMode>
    <App bootstrap={bootstrap} />
  </StrictMode>,
);
