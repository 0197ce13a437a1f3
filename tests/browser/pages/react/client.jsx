// Takes over the markup that the server rendered, and keeps what React complains of.

import { hydrateRoot } from 'react-dom/client';
import { App } from './app.jsx';

window.recovered = [];
window.uncaught = [];
hydrateRoot(document.getElementById('root'), <App />, {
  onRecoverableError: (error) => window.recovered.push(`${error.message}`),
  onUncaughtError: (error) => window.uncaught.push(`${error.message}`),
});
