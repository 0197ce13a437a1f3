// What the server sends of the page.

import { renderToString } from 'react-dom/server.browser';
import { App } from './app.jsx';

export const markup = renderToString(<App />);
