// Part for the action that replaces an element's content with markup: `html`.

import { actions } from './actions.js';
import { replaceContent } from './content.js';
import { trustedHtml } from './trusted.js';

actions.html = (element, { html }) => replaceContent(element, 'innerHTML', trustedHtml(html), {});
