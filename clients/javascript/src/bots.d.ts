/** The SDK's own check (`src/bots.js` there), copied by the build: what it does not count, servers do not assign. */
export const isBot: (browser: { webdriver?: boolean; userAgent: string }) => boolean;
