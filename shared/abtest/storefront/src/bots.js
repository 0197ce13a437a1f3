// Automation and crawlers: neither assigned nor counted.

// "ubot" does not match because of Cubot phones; older browsers cannot parse a lookbehind.
const CRAWLER =
  /(^|[^u])bot|crawl|spider|slurp|headless|lighthouse|pagespeed|facebookexternalhit|preview|pingdom/i;

/** @param {{ webdriver?: boolean, userAgent: string }} browser */
export const isBot = (browser) => !!browser.webdriver || CRAWLER.test(browser.userAgent);
