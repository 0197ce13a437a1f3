// The tool for people who look at a page. It takes the place of the page's own snippet, with all parts of the SDK: it
// shows a draft, explains what was decided, and records what happens. Or it explains a page that runs without it.

import '../src/sdk.js';
import { decideAgain, decided, setUp } from '../src/decisions.js';
import { enforce, force, readForce } from '../src/force.js';
import { open, run } from '../src/main.js';
import { hear } from '../src/notices.js';
import { config, setPage } from '../src/page.js';
import { parts } from '../src/parts.js';
import { active } from '../src/treatments.js';
import { showBar } from './bar_loader.js';
import { carryOver } from './links.js';
import { findingsOf, watchPolicies } from './findings.js';
import { explanationOf, snapshotOf } from './inspector.js';
import { merged } from './drafts.js';
import { endSession, forget, remember, strip } from './session.js';

/** @import { Config, Scripts, SdkEvent } from '../src/types' */
/** @import { Seen } from './inspector.js' */
/** @import { Outcome, Preview } from './drafts.js' */

const MAX_EVENTS = 500;

/** A store in the place of the cookie: where there is no consent, nothing outlives the page. */
const inMemory = () => ({ cookie: '', referrer: document.referrer });

/**
 * What is shown of the outcome here: a preview that is not for this host, or has ended, shows nothing.
 * @param {Outcome} outcome
 * @returns {Outcome}
 */
const hereOf = ({ draft, ...rest }) => {
  const { preview } = rest;
  if (preview?.state !== 'shown') return rest;
  if (preview.hosts?.includes(location.host)) return { ...rest, draft };
  const message = `This preview is not for ${location.host}. Make another link for an address of this host.`;
  return { ...rest, preview: { ...preview, state: 'elsewhere', message } };
};

/** States after which later pages need not ask again. */
const ENDS = ['expired', 'invalid', 'ended'];

/** @param {Preview | undefined} preview */
const keep = (preview) => {
  if (!preview) remember('svc_qa', '1');
  else if (preview.state === 'shown') remember('svc_preview', `${preview.token}`);
  else if (ENDS.includes(preview.state)) forget('svc_preview');
  if (preview && preview.state !== 'unavailable') strip(); // then the address may be loaded again
};

/**
 * Start the SDK. A preview does not wait for consent: it shows its draft, and stores and sends nothing before.
 * @param {Preview | undefined} preview
 */
const begin = (preview) => {
  const { runtime } = config;
  if (!runtime.consent) {
    keep(preview); // first, because the address changes
    run();
  } else if (preview) {
    parts._isUncounted = () => true;
    run({ ...runtime, consent: undefined, handover: undefined });
    parts._consent(
      () => keep(preview),
      () => forget('svc_preview'),
    );
  } else {
    run();
    hear('consent', ({ granted }) => (granted ? keep(preview) : forget('svc_qa')));
  }
};

/**
 * Variations that can be forced, by experiment.
 * @param {Config} judged
 */
const choicesOf = ({ experiments }) =>
  Object.fromEntries(
    experiments.map(({ id, variations }) => [id, variations.map((variation) => variation.id)]),
  );

/** @param {Preview | undefined} preview */
const enforceDraft = (preview) => {
  readForce(location.search);
  force._isFlagged = true;
  if (preview?.kind === 'experiment' && preview.state === 'shown') {
    force._variations[`${preview.id}`] ??= `${preview.variationId}`;
  }
};

/**
 * @param {Outcome} outcome
 * @param {Scripts} own
 * @param {any[]} state what the page's own snippet left
 */
const takeOver = (outcome, own, [tag, before, scripts, given]) => {
  const here = hereOf(outcome);
  const { preview } = here;
  const page = merged(before, scripts, here, own);
  setPage(page.config, page.scripts, tag);
  setUp(given);
  enforceDraft(preview);
  if (preview && before.runtime.consent) parts._preview = inMemory;
  const stopped = open() ? 'bot' : 'consent';
  /** @type {SdkEvent[]} */
  const events = [];
  const seen = () =>
    /** @type {Seen} */ ({
      config,
      judged: page.judged,
      decided,
      treatments: active,
      forcedBy: force._variations,
      stopped,
      events,
      isRecorded: true,
    });
  const snapshot = () => snapshotOf(seen());
  Object.assign(window.svc, {
    preview: { end: endSession },
    explain: async () => explanationOf(seen(), config, force._variations),
    debug: async () => snapshot(),
  });
  watchPolicies();
  const changed = showBar({
    outcome: here,
    snapshot,
    findings: () => findingsOf(seen()),
    force(/** @type {[id?: string, variation?: string | number]} */ ...what) {
      enforce(...what);
      decideAgain();
    },
    end: endSession,
    choices: choicesOf(page.judged),
  });
  hear('event', (event) => {
    if (events.length < MAX_EVENTS) events.push(event);
    changed();
  });
  hear('decision', changed);
  const isByAddress = /[?&]svc_(qa|preview)=/.test(location.search);
  begin(preview);
  // The cookie is read with consent only, so the visitor has given it, perhaps by a call that is not repeated.
  if (before.runtime.consent && !isByAddress) window.svc.consent(true);
  if (here.draft && preview) carryOver(preview.hosts || [], `${preview.token}`);
};

/**
 * Answer `svc.explain()` or `svc.debug()` on a page that runs without the tool.
 * @param {Config} running
 * @param {any[]} state
 */
const explainPage = (running, [made, treatments, isQuiet, isWhole, done]) => {
  setPage(running, [], null);
  /** @type {SdkEvent[]} */
  const events = [];
  window.svc.on('event', (event) => events.push(/** @type {any} */ (event)))();
  /** @type {Seen} */
  const seen = {
    config: running,
    judged: running,
    decided: made,
    treatments,
    forcedBy: {},
    stopped: isQuiet ? 'bot' : 'consent',
    events,
    isRecorded: false,
  };
  done(isWhole ? snapshotOf(seen) : explanationOf(seen, running));
};

/**
 * Start the tool. Never throws.
 * @param {Outcome} outcome
 * @param {Scripts} own
 */
export const start = (outcome, own) => {
  try {
    const { currentScript, documentElement: root } = /** @type {any} */ (document);
    const state = currentScript.svc;
    const [, running, , , request] = state;
    if (request) explainPage(running, request);
    else if (!root.svc) takeOver(outcome, own, state); // else it has: consent may be given twice
  } catch (error) {
    console.warn('svc', error);
  }
};
