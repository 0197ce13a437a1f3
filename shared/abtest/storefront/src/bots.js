// Automation and crawlers: neither assigned nor counted.

// "ubot" is spared for the sake of Cubot phones; a lookbehind would not parse in older browsers.
const CRAWLER =
  /(^|[^u])bot|crawl|spider|slurp|headless|lighthouse|pagespeed|facebookexternalhit|preview|pingdom/i;

/** @param {{ webdriver?: boolean, userAgent: string }} browser */
export const isBot = (browser) => !!browser.webdriver || CRAWLER.test(browser.userAgent);
