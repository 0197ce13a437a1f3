// Part for page view goals.

import { goalsOf, reach } from './goals.js';
import { parts } from './parts.js';
import { matchesUrl } from './urls.js';

parts._countPageview = () => {
  for (const goal of goalsOf('pageview')) {
    if (!goal.url || matchesUrl(goal.url, location)) reach(goal);
  }
};
