// What went wrong on the page, in words: for developers who look at it.

import { now } from '../src/natives.js';
import { uses } from '../src/recorder.js';

/** @import { SdkEvent, Treatment } from '../src/types' */
/** @import { Seen } from './inspector.js' */
/** @typedef {'blocked' | 'failed' | 'late' | 'missing'} Kind */
/** @typedef {{ kind: Kind, at: number, about: string, message: string }} Finding */

/** A selector may match late; after this time it is reported. */
const MISSING_MS = 5000;
const MAX_BLOCKED = 50;
const OURS = /svc|\/s\/[0-9a-f-]{36}/;

/** @type {Record<string, string>} */
const LATE = {
  timeout: 'It was not ready in time: the page was shown without it, and the visit was not counted.',
  chunk: 'It needs a file that could not be loaded: the page was shown without it.',
  flapping: 'It started and ended again and again: it was taken off the page.',
};

/** @type {Finding[]} */
const blocked = [];
/** When each treatment was first seen. @type {WeakMap<object, number>} */
const begun = new WeakMap();

/** Watch for policies of the page that block what is ours. */
export const watchPolicies = () => {
  addEventListener('securitypolicyviolation', (event) => {
    const { blockedURI, effectiveDirective, sourceFile } = event;
    if (blocked.length >= MAX_BLOCKED || !OURS.test(`${blockedURI} ${sourceFile}`)) return;
    const message = `The content security policy of the page (${effectiveDirective}) blocked ${blockedURI}.`;
    blocked.push({ kind: 'blocked', at: now(), about: '', message });
  });
};

/**
 * @param {SdkEvent} event
 * @returns {Finding[]}
 */
const ofEvent = ({ type, ts, experimentId, data }) => {
  const about = experimentId || '';
  const late = LATE[`${data.kind}`];
  if (type === 'sdk_perf' && late) return [{ kind: 'late', at: ts, about, message: late }];
  if (type !== 'sdk_error' || data.kind) return []; // selectors that match nothing are found below
  const outcome = about ? ' Its variation was taken off the page, and is not counted.' : '';
  return [{ kind: 'failed', at: ts, about, message: `${data.source}: ${data.message}.${outcome}` }];
};

/**
 * Selectors that match nothing although their treatment has been active for a while.
 * @param {Treatment} treatment
 * @returns {Finding[]}
 */
const missingIn = (treatment) => {
  const since = begun.get(treatment) || now();
  begun.set(treatment, since);
  if (treatment._dropped || now() - since < MISSING_MS) return [];
  return treatment._rules
    .filter((rule) => !rule._applied.length && !uses.has(rule))
    .map(({ _mutation }) => ({
      kind: 'missing',
      at: since,
      about: treatment._decision.experiment.id,
      message: `Nothing on this page matches the selector ${_mutation.selector}.`,
    }));
};

/** @param {Seen} seen */
export const findingsOf = ({ events, treatments }) => [
  ...blocked,
  ...events.flatMap(ofEvent),
  ...treatments.flatMap(missingIn),
];
