// Hooks and provider: what is rendered on the server, during hydration, and from the snippet's decision on.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assignment, onPage, onServer, REACTS, snippet } from './page.mjs';

const TREATED = { assignments: [assignment(1)], flags: { wide: true }, personalizations: { hero: 'Summer' } };

/** A component that shows every hook, and notes what it rendered. */
const shopOf = ({ React, useExperiment, useFlag, usePersonalization, useDecided }) => {
  const rendered = [];
  const Shop = () => {
    const shown = [
      useExperiment('e1')?.variationIndex ?? 'none',
      useFlag('wide', 'fallback'),
      usePersonalization('hero') ?? 'none',
      useDecided() ? 'decided' : 'waiting',
    ].join(' ');
    rendered.push(shown);
    return React.createElement('p', null, shown);
  };
  return { Shop, rendered };
};

const treeOf = (modules, bootstrap, Shop, Around = modules.React.Fragment) =>
  modules.React.createElement(
    Around,
    null,
    modules.React.createElement(modules.StorefrontProvider, { bootstrap }, modules.React.createElement(Shop)),
  );

/** Markup as a server sends it. */
const sent = async (major, bootstrap) => {
  const server = await onServer(major);
  return server.renderToString(treeOf(server, bootstrap, shopOf(server).Shop));
};

/** A page that was rendered on a server, not hydrated yet. */
const sentPage = async (major, bootstrap, svc, url) => {
  const markup = await sent(major, bootstrap);
  const page = await onPage(major, markup, url);
  if (svc) page.window.svc = svc;
  const { Shop, rendered } = shopOf(page);
  return { ...page, markup, rendered, Shop, hydrateShop: () => page.hydrate(treeOf(page, bootstrap, Shop)) };
};

for (const major of Object.keys(REACTS)) {
  const check = (name, run) => test(`React ${major}: ${name}`, run);

  check('a server renders the bootstrap, and fallbacks without one', async () => {
    assert.match(await sent(major, TREATED), />1 true Summer waiting</);
    assert.match(await sent(major, undefined), />none fallback none waiting</);
  });

  check('another decision of the snippet is shown after hydration, without a mismatch', async () => {
    const svc = snippet({ assignments: [assignment(0)], flags: { wide: false }, personalizations: { hero: 'Winter' } });
    const page = await sentPage(major, TREATED, svc);
    const before = page.root.firstChild;
    await page.hydrateShop();
    assert.equal(page.rendered[0], '1 true Summer waiting');
    assert.equal(page.text(), '0 false Winter decided');
    assert.equal(page.root.firstChild, before, 'React has taken the markup over');
    assert.deepEqual(page.errors, []);
  });

  check('the same decision renders nothing again', async () => {
    const page = await sentPage(major, TREATED, snippet(TREATED));
    const { React, useExperiment, useFlag, usePersonalization } = page;
    const rendered = [];
    const Shop = () => {
      rendered.push(useExperiment('e1'));
      return React.createElement('p', null, `1 ${useFlag('wide', false)} ${usePersonalization('hero')} waiting`);
    };
    await page.hydrate(treeOf(page, TREATED, Shop));
    await page.act(async () => page.window.svc.decide({}));
    assert.deepEqual(rendered, [assignment(1)]);
    assert.deepEqual(page.errors, []);
  });

  check('a part that hydrates after the decision agrees with its markup', async () => {
    const page = await sentPage(major, TREATED, snippet());
    const { React, StorefrontProvider, Shop } = page;
    page.root.innerHTML = `<!--$-->${page.markup}<!--/$-->`;
    const arrived = Promise.withResolvers?.() ?? {};
    arrived.promise ??= new Promise((resolve) => (arrived.resolve = resolve));
    const Later = React.lazy(() => arrived.promise);
    const within = React.createElement(React.Suspense, { fallback: 'loading' }, React.createElement(Later));
    await page.hydrate(React.createElement(StorefrontProvider, { bootstrap: TREATED }, within));
    assert.equal(page.text(), '1 true Summer waiting');
    await page.act(async () => page.window.svc.decide({ flags: { wide: 'new' } }));
    assert.equal(page.text(), '1 true Summer waiting', 'the markup stays');
    await page.act(async () => arrived.resolve({ default: Shop }));
    assert.equal(page.rendered[0], '1 true Summer waiting');
    assert.equal(page.text(), 'none new none decided');
    assert.deepEqual(page.errors, []);
  });

  check('without a snippet the bootstrap stays; a snippet that loads later takes over', async () => {
    const page = await sentPage(major, TREATED);
    await page.hydrateShop();
    assert.equal(page.text(), '1 true Summer waiting');
    page.window.svc = { country: 'DE' }; // attributes of the page, not a snippet
    await page.loaded(page.window.svc);
    assert.equal(page.text(), '1 true Summer waiting');
    await page.loaded(snippet({ flags: { wide: false } }));
    assert.equal(page.text(), 'none false none decided');
    assert.deepEqual(page.errors, []);
  });

  check('consent: the bootstrap until it is granted, the original after a withdrawal', async () => {
    const svc = snippet({ visitor: '' });
    const page = await sentPage(major, TREATED, svc);
    await page.hydrateShop();
    assert.equal(page.text(), '1 true Summer waiting');
    await page.act(async () => svc.decide({ assignments: [assignment(0)] }));
    assert.equal(page.text(), '0 fallback none decided');
    await page.act(async () => svc.withdraw());
    assert.equal(page.text(), 'none fallback none decided');
    assert.deepEqual(page.errors, []);
  });

  check('bots keep what the server has sent', async () => {
    const svc = snippet({ visitor: '' });
    svc.ready = (fn) => fn(svc);
    const page = await sentPage(major, TREATED, svc);
    await page.hydrateShop();
    assert.equal(page.text(), '1 true Summer waiting');
  });

  check('a snippet after the limit of its tag leaves the page as it was sent, and decides the next one', async () => {
    const svc = snippet({ flags: { wide: false } });
    const page = await sentPage(major, TREATED, svc);
    page.window.document.head.innerHTML = '<script id="svc-snippet" data-late="true"></script>';
    await page.hydrateShop();
    assert.equal(page.text(), '1 false Summer decided');
    page.window.history.pushState({}, '', '/#reviews');
    await page.act(async () => svc.decide({}));
    assert.equal(page.text(), '1 false Summer decided', 'an anchor is no other page');
    page.window.history.pushState({}, '', '/next');
    await page.act(async () => svc.decide({ assignments: [] }));
    assert.equal(page.text(), 'none false none decided');
  });

  check('each decision renders the components that use it, and no others', async () => {
    const svc = snippet({ assignments: [assignment(0), assignment(0, 'e2')] });
    const page = await onPage(major);
    page.window.svc = svc;
    const { React, useExperiment } = page;
    const renders = { e1: 0, e2: 0 };
    const One = ({ id }) => {
      renders[id] += 1;
      return `${id}:${useExperiment(id)?.variationIndex} `;
    };
    await page.render(['e1', 'e2'].map((id) => React.createElement(One, { id, key: id })));
    assert.equal(page.text(), 'e1:0 e2:0 ', 'at once, and without a provider');
    await page.act(async () => svc.decide({ assignments: [assignment(0), assignment(1, 'e2')] }));
    assert.equal(page.text(), 'e1:0 e2:1 ');
    assert.deepEqual(renders, { e1: 1, e2: 2 });
    await page.act(async () => svc.decide({ assignments: [assignment(0, 'e1', 2)] }));
    assert.deepEqual(renders, { e1: 2, e2: 3 }, 'a restart is news');
  });

  check('in strict mode, and with many providers, the snippet is watched once', async () => {
    const svc = snippet(TREATED);
    const page = await sentPage(major, TREATED, svc);
    const { React, Shop } = page;
    const one = (key) => React.createElement('div', { key }, treeOf(page, TREATED, Shop, React.StrictMode));
    await page.render([one('a'), one('b')]);
    await page.act(async () => svc.decide({ flags: { wide: 'new' } }));
    assert.equal(page.text(), '1 new Summer decided'.repeat(2));
    assert.equal(svc.listeners.decision.size, 1);
    assert.deepEqual(page.errors, []);
  });

  check('a snippet without `on` is read when it is ready, and at each rendering', async () => {
    const svc = snippet({ visitor: '' });
    Reflect.deleteProperty(svc, 'on');
    const page = await sentPage(major, TREATED, svc);
    await page.hydrateShop();
    await page.act(async () => svc.decide({ assignments: [assignment(0)] }));
    assert.equal(page.text(), '0 fallback none decided');
  });

  check('a new bootstrap replaces the former one until the snippet decides', async () => {
    const page = await onPage(major);
    const { React, StorefrontProvider } = page;
    const { Shop, rendered } = shopOf(page);
    let show;
    const Root = () => {
      const [bootstrap, set] = React.useState(TREATED);
      show = set;
      return React.createElement(StorefrontProvider, { bootstrap }, React.createElement(Shop));
    };
    await page.render(React.createElement(Root));
    await page.act(async () => show({ assignments: [assignment(0)], flags: { wide: 3 } }));
    assert.equal(page.text(), '0 3 none waiting');
    assert.equal(rendered[0], '1 true Summer waiting');
    assert.deepEqual(page.errors, []);
  });

  check('a fallback that is a new object each time renders once', async () => {
    const page = await onPage(major);
    const { React, useFlag } = page;
    let renders = 0;
    const Shop = () => {
      renders += 1;
      return React.createElement('p', null, useFlag('layout', { columns: 3 }).columns);
    };
    await page.render(React.createElement(Shop));
    assert.deepEqual([page.text(), renders, page.errors], ['3', 1, []]);
  });
}
