// The SDK of a page that is edited: the page may call it, and nothing happens.

/** Put it in the place of what the page has, and return what undoes that. */
export const quiet = () => {
  const page = /** @type {any} */ (window);
  const given = page.svc;
  const nothing = () => {};
  const svc = {
    track: nothing,
    set: nothing,
    flag: (/** @type {string} */ _key, /** @type {unknown} */ fallback) => fallback,
    personalization: nothing,
    assignments: () => [],
    visitorId: () => '',
    cart: () => ({}),
    ready: (/** @type {(svc: object) => void} */ fn) => fn(svc),
    on: () => nothing,
    force: nothing,
    consent: nothing,
    explain: async () => [],
    debug: async () => ({}),
  };
  page.svc = svc;
  return () => {
    page.svc = given;
  };
};
