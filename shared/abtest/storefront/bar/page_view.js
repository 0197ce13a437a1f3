// The tab about this page: page rules that are tried on its address, and what was applied to it.

import { matchesUrl } from '../src/urls.js';
import { compilePattern } from '../tools/compile_pattern.mjs';
import { el } from './elements.js';
import { nameOf, tag } from './views.js';

/** @import { View } from './views.js' */

/** @param {View} view */
export const page = ({ inspector, shot }) => {
  const result = el('p', { role: 'status', class: 'dim' });
  const type = el(
    'select',
    {},
    el('option', { value: 'simple' }, 'simple'),
    el('option', { value: 'regex' }, 'regex'),
  );
  const pattern = el('input', { placeholder: '/products/*', spellcheck: 'false', autocapitalize: 'off' });
  const check = () => {
    const rule = pattern.value && compilePattern(/** @type {'simple'} */ (type.value), pattern.value);
    if (!pattern.value) result.textContent = '';
    else if (!rule) result.textContent = 'This pattern cannot be read.';
    else {
      const isMatch = matchesUrl(rule, new URL(shot.url));
      result.textContent = isMatch ? 'It matches this address.' : 'It does not match this address.';
    }
  };
  type.addEventListener('change', check);
  pattern.addEventListener('input', check);
  return [
    el('p', {}, el('code', {}, shot.url)),
    el('h2', {}, 'Try a page rule on this address'),
    el('label', {}, 'Type', type),
    el('label', {}, 'Pattern', pattern),
    result,
    el('h2', {}, 'Applied to this page'),
    shot.treatments.length
      ? el(
          'ul',
          {},
          ...shot.treatments.map((/** @type {any} */ each) =>
            el(
              'li',
              { class: 'card' },
              el(
                'header',
                {},
                el(
                  'h3',
                  {},
                  `${nameOf(inspector, each.experimentId)}: ${nameOf(inspector, each.variationId)}`,
                ),
                tag(each.state, each.state === 'applied' ? 'on' : each.state === 'dropped' ? 'bad' : 'off'),
              ),
              ...each.mutations.map((/** @type {any} */ { selector, action, elements, times }) =>
                el(
                  'p',
                  { class: 'dim' },
                  el('code', {}, selector),
                  ` ${action}: on ${elements} elements now, applied ${times} ×`,
                ),
              ),
            ),
          ),
        )
      : el('p', { class: 'dim' }, 'Nothing.'),
  ];
};
