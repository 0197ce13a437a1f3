// The complete SDK: core, then the parts in the order of parts.json.

export { start } from './main.js';

import './parsing.js';
import './exclusion.js';
import './addresses.js';
import './weekdays.js';
import './audiences.js';
import './data_layer.js';
import './selectors.js';
import './triggers.js';
import './goals.js';
import './clicks.js';
import './views.js';
import './captures.js';
import './blocks.js';
import './trusted.js';
import './mutations.js';
import './positions.js';
import './content.js';
import './values.js';
import './insertion.js';
import './dropping.js';
import './scripts.js';
import './css.js';
import './redirect.js';
import './personalizations.js';
import './waiting.js';
import './chunks.js';
import './flags.js';
import './signals.js';
import './environments.js';
import './consent.js';
import './adopting.js';
import './handover.js';
import './checkout.js';
import './sharing.js';
import './served.js';
