// The whole SDK: the core, then its parts in the order of parts.json.

export { start } from './main.js';

import './weekdays.js';
import './audiences.js';
import './data_layer.js';
import './triggers.js';
import './goals.js';
import './blocks.js';
import './redirect.js';
import './personalizations.js';
import './waiting.js';
import './chunks.js';
import './flags.js';
import './signals.js';
import './environments.js';
import './consent.js';
import './handover.js';
import './checkout.js';
