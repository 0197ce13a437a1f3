// What the tabs of the bar show.

import { el } from './elements.js';
import { sentenceOf } from './sentences.js';

/** @typedef {{ inspector: any, shot: any }} View the tool, and what it knew at one moment */

const FORCE_NOTHING = '';

/** @param {string} text @param {'on' | 'off' | 'bad'} kind */
export const tag = (text, kind) => el('span', { class: `tag ${kind}` }, text);

/** @param {any} inspector @param {string | null | undefined} id @param {string} [name] */
export const nameOf = ({ outcome }, id, name) => outcome.names?.[`${id}`] || name || id || '';

/** @param {any} inspector @param {string} id */
const isDraft = ({ outcome }, id) => outcome.preview?.id === id;

/**
 * @param {View} view
 * @param {any} entry
 */
const switchOf = ({ inspector, shot }, { id, assigned }) => {
  const choices = inspector.choices[id] || [];
  const forced = shot.forcedBy[id];
  const current = forced == null ? FORCE_NOTHING : choices[Number(forced)] || forced;
  const select = el(
    'select',
    {
      change: () => inspector.force(id, select.value === FORCE_NOTHING ? undefined : select.value),
      'data-key': id,
    },
    el(
      'option',
      { value: FORCE_NOTHING, selected: current === FORCE_NOTHING },
      'as decided for this visitor',
    ),
    ...choices.map((/** @type {string} */ each) =>
      el('option', { value: each, selected: each === current }, nameOf(inspector, each)),
    ),
  );
  return el('label', {}, assigned || forced ? 'Variation' : 'Show a variation', select);
};

/**
 * @param {View} view
 * @param {any} entry
 * @returns {[text: string, kind: 'on' | 'off' | 'bad']}
 */
const outcomeOf = ({ inspector, shot }, { id, applied, assigned }) => {
  const shown = assigned ? nameOf(inspector, assigned.id) : 'not in';
  const isDropped = shot.treatments.some(
    (/** @type {any} */ each) => each.experimentId === id && each.state === 'dropped',
  );
  if (isDropped) return [`${shown}, taken off the page`, 'bad'];
  if (applied) return [shown, 'on'];
  return [assigned ? `${shown}, not on this page` : shown, 'off'];
};

/**
 * @param {View} view
 * @param {any} entry
 * @param {any} unforced the same without force
 */
const experimentCard = (view, entry, unforced) => {
  const { inspector } = view;
  const isForced = entry.step === 'forced';
  const own = unforced && `As a visitor: ${unforced.applied ? 'in. ' : 'not in. '}${sentenceOf(unforced)}`;
  return el(
    'li',
    { class: 'card' },
    el(
      'header',
      {},
      el('h3', {}, nameOf(inspector, entry.id, entry.name), isDraft(inspector, entry.id) && ' (draft)'),
      tag(...outcomeOf(view, entry)),
    ),
    el('p', { class: 'dim' }, isForced ? own : sentenceOf(entry)),
    switchOf(view, entry),
  );
};

/** @param {View} view @param {any} entry @param {any} unforced @param {string} shown */
const otherCard = ({ inspector }, entry, unforced, shown) => {
  const draft = isDraft(inspector, entry.id);
  const own = draft && unforced;
  return el(
    'li',
    { class: 'card' },
    el(
      'header',
      {},
      el('h3', {}, nameOf(inspector, entry.id, entry.name || entry.key), draft && ' (draft)'),
      tag(shown, entry.applied ? 'on' : 'off'),
    ),
    el('p', { class: 'dim' }, own ? `As a visitor: ${sentenceOf(own)}` : sentenceOf(entry)),
  );
};

/** @param {any[]} list @param {string} id */
const withId = (list, id) => list.find((each) => each.id === id);

/** @param {View} view */
export const decisions = (view) => {
  const { inspector, shot } = view;
  const { experiments, personalizations, flags } = shot.explanation;
  const { unforced } = shot;
  const forcedCount = Object.keys(shot.forcedBy).length;
  /** @type {(title: string, cards: HTMLElement[]) => any[]} */
  const section = (title, cards) => (cards.length ? [el('h2', {}, title), el('ul', {}, ...cards)] : []);
  return [
    shot.state === 'bot' &&
      el('p', { class: 'notice off' }, 'Automated browsers get the original and are not counted.'),
    shot.state === 'consent' &&
      el('p', { class: 'notice off' }, 'Nothing is decided before the visitor consents.'),
    ...section(
      'Experiments',
      experiments.map((/** @type {any} */ each) =>
        experimentCard(view, each, withId(unforced.experiments, each.id)),
      ),
    ),
    ...section(
      'Personalizations',
      personalizations.map((/** @type {any} */ each) =>
        otherCard(
          view,
          each,
          withId(unforced.personalizations, each.id),
          each.applied ? nameOf(inspector, each.assigned?.id, each.assigned?.key) : 'not shown',
        ),
      ),
    ),
    ...section(
      'Flags',
      flags.map((/** @type {any} */ each) =>
        otherCard(view, each, withId(unforced.flags, each.id), JSON.stringify(each.value) ?? 'off'),
      ),
    ),
    !experiments.length &&
      !personalizations.length &&
      !flags.length &&
      el('p', { class: 'dim' }, 'Nothing of this shop runs: no experiment, personalization or flag.'),
    forcedCount > 0 && el('button', { click: () => inspector.force() }, 'Force nothing'),
  ];
};

/** @type {(delivery: any) => [text: string, kind: 'on' | 'off' | 'bad']} */
const stateOf = ({ state, status, by }) => {
  if (state === 'answered') return [`answered ${status}`, status < 300 ? 'on' : 'bad'];
  if (state === 'sent') return [by === 'beacon' ? 'sent as the page was left' : 'sent', 'on'];
  return [state, 'off'];
};

/** @param {View} view */
export const events = ({ inspector, shot }) => [
  el('p', { class: 'dim' }, 'Newest first. Events of this visit are marked as QA, and counted nowhere.'),
  el(
    'ul',
    {},
    ...[...shot.events]
      .reverse()
      .map((/** @type {any} */ event) =>
        el(
          'li',
          { class: 'card' },
          el(
            'header',
            {},
            el('h3', {}, event.data.event_name || event.type),
            tag(...stateOf(event.delivery)),
          ),
          event.experimentId &&
            el(
              'p',
              { class: 'dim' },
              `${nameOf(inspector, event.experimentId)}: ${nameOf(inspector, event.variationId)}`,
            ),
          el(
            'p',
            { class: 'dim' },
            new Date(event.at).toLocaleTimeString(),
            ' ',
            el('code', {}, JSON.stringify({ ...event.data, stack: undefined })),
          ),
        ),
      ),
  ),
];

const KINDS = { blocked: 'Blocked', failed: 'Failed', late: 'Too late', missing: 'Not found' };

/** @param {View} view */
export const findings = ({ inspector, shot }) =>
  shot.findings.length
    ? [
        el(
          'ul',
          {},
          ...shot.findings.map((/** @type {any} */ { kind, about, message }) =>
            el(
              'li',
              { class: 'card' },
              el(
                'header',
                {},
                el('h3', {}, nameOf(inspector, about) || 'This page'),
                tag(KINDS[/** @type {'late'} */ (kind)], 'bad'),
              ),
              el('p', {}, message),
            ),
          ),
        ),
      ]
    : [
        el(
          'p',
          { class: 'dim' },
          'Nothing has gone wrong on this page. Selectors are judged five seconds after their start.',
        ),
      ];

/** @param {Record<string, unknown>} rows */
const table = (rows) =>
  el(
    'table',
    {},
    el(
      'tbody',
      {},
      ...Object.entries(rows).map(([name, value]) =>
        el(
          'tr',
          {},
          el('th', { scope: 'row' }, name),
          el('td', {}, typeof value === 'string' ? value || '(none)' : JSON.stringify(value) || '(none)'),
        ),
      ),
    ),
  );

/** @param {View} view */
export const visitor = ({ shot }) => [
  table({
    'visitor id': shot.visitor.id,
    'customer id': shot.visitor.customerId ?? '(guest)',
    session: shot.visitor.session || '',
    environment: shot.environment || '',
    surface: shot.surface,
    cohort: shot.cohort || '(no holdout)',
  }),
  el('h2', {}, 'Attributes that audiences see'),
  table(shot.visitor.attributes),
];
