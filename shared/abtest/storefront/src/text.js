// Part for the action that replaces an element's content with a text: `text`.

import { actions } from './actions.js';
import { replaceContent } from './content.js';

actions.text = (element, { text }) =>
  replaceContent(element, 'textContent', text, { characterData: true, subtree: true });
