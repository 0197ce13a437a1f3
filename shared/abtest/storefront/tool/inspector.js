// What people see of the SDK: who the visitor is, what was decided and why, what was applied, which events were sent.

import { explain, explainStopped } from '../src/explain.js';
import { now } from '../src/natives.js';
import { tagOptions } from '../src/page.js';
import { parts } from '../src/parts.js';
import { requests, uses } from '../src/recorder.js';
import { findingsOf } from './findings.js';

/** @import { Config, Decided, Force, SdkEvent, Treatment } from '../src/types' */
/** @typedef {import('../svc').SvcDebug['events'][number]} Event */
/** @typedef {Event['delivery']} Delivery */

/**
 * The state of an SDK on this page: the tool's own, or that of the snippet of a page that runs without it.
 * @typedef {{
 *   config: Config, judged: Config, decided?: Decided, treatments: Treatment[], forcedBy: Force,
 *   stopped: 'bot' | 'consent', events: SdkEvent[], isRecorded: boolean,
 * }} Seen
 */

/** How far the events that were sent have come, by id: beacons get no answer. */
const deliveries = () => {
  /** @type {Map<string, Delivery>} */
  const byId = new Map();
  for (const { texts, at, by, status } of requests) {
    for (const text of texts) {
      const [, id] = /"eventId":"([^"]+)"/.exec(text) || [];
      byId.set(id, { state: status ? 'answered' : 'sent', at, by, status });
    }
  }
  return byId;
};

/** @type {(seen: Seen) => Event[]} */
const eventsOf = ({ events, isRecorded }) => {
  const byId = deliveries();
  return events.map(({ type, eventId, ts, experimentId, variationId, data, qa_mode: isQa }) => ({
    type,
    eventId,
    at: ts,
    experimentId,
    variationId,
    data,
    qa: !!isQa,
    delivery: isRecorded ? byId.get(eventId) || { state: 'queued' } : { state: 'unknown' },
  }));
};

/** @type {(treatment: Treatment) => import('../svc').SvcTreatment} */
const treatmentOf = ({ _decision, _content, _dropped, _ran, _waits, _missing, _rules }) => ({
  experimentId: _decision.experiment.id,
  variationId: _decision.variation.id,
  state: _dropped ? 'dropped' : _waits && !_ran ? 'waiting' : 'applied',
  css: !!_content.css,
  script: _content.js != null,
  missingFiles: _missing,
  mutations: _rules.map((rule) => {
    const use = uses.get(rule);
    return {
      selector: rule._mutation.selector,
      action: rule._mutation.action,
      elements: rule._applied.filter(({ _isDone }) => !_isDone).length,
      times: use ? use.count : rule._applied.length,
      firstAt: use?.first ?? null,
      lastAt: use?.last ?? null,
    };
  }),
});

const addressHere = () => parts._address?.() || location;

/**
 * Why this visitor gets what on this page.
 * @param {Seen} seen
 * @param {Config} by config that decides
 * @param {Force} [forcedBy]
 */
export const explanationOf = ({ decided, stopped }, by, forcedBy) =>
  decided ? explain(by, decided.facts.visitor, addressHere(), now(), forcedBy) : explainStopped(by, stopped);

/** @param {Seen} seen */
const visitorOf = ({ decided, events }) => {
  const visitor = decided?.facts.visitor || {};
  return {
    id: visitor.id || '',
    customerId: visitor.customer_id ?? null,
    session: events[0]?.sessionId ?? null,
    attributes: visitor.attributes || {},
  };
};

/**
 * Everything that is known now, as JSON.
 * @param {Seen} seen
 * @returns {import('../svc').SvcDebug}
 */
export const snapshotOf = (seen) => {
  const { config, judged, decided, forcedBy, stopped, treatments } = seen;
  return {
    at: now(),
    url: addressHere().href,
    state: decided ? 'decided' : stopped,
    environment: config.runtime.environment,
    surface: tagOptions.surface || 'storefront',
    cohort: decided?.cohort ?? null,
    visitor: visitorOf(seen),
    forcedBy: { ...forcedBy },
    explanation: explanationOf(seen, config, forcedBy),
    /** As it would be if nothing were forced, and a draft had its own targeting. */
    unforced: explanationOf(seen, judged),
    treatments: treatments.map(treatmentOf),
    events: eventsOf(seen),
    findings: findingsOf(seen),
  };
};
