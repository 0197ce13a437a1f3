// The bar for people: what they preview, what this visitor is in and why, which events were sent, what went wrong.

import '../src/addresses.js';
import { el } from './elements.js';
import { page } from './page_view.js';
import { STYLES } from './styles.js';
import { decisions, events, findings, visitor } from './views.js';

/** @type {[id: string, title: string, view: (view: import('./views.js').View) => any[]][]} */
const TABS = [
  ['decisions', 'Decisions', decisions],
  ['events', 'Events', events],
  ['findings', 'Findings', findings],
  ['page', 'Page', page],
  ['visitor', 'Visitor', visitor],
];
/** A page that removes the bar gets it back; one that removes it again and again does not want it. */
const MAX_RETURNS = 20;
const STORED = 'svc_bar';

/** The tab that was open on the page before. It is stored only where the visit itself is kept. */
const memory = {
  read: () => {
    try {
      return sessionStorage.getItem(STORED) || '';
    } catch {
      return '';
    }
  },
  /** @param {string} text */
  write: (text) => {
    try {
      if (/svc_(qa|preview)=/.test(document.cookie)) sessionStorage.setItem(STORED, text);
    } catch {}
  },
};

/** @param {any} inspector */
const titleOf = ({ outcome: { preview } }) => {
  if (!preview) return ['QA visit'];
  if (preview.state !== 'shown') return ['No preview'];
  const { experience, value, variationId, variations = [] } = preview;
  const shown = variations.find((/** @type {any} */ each) =>
    [each.id, each.key].includes(variationId || experience || value),
  );
  const what = shown?.name || experience || value;
  return ['Preview', preview.name, what].filter(Boolean);
};

/**
 * @param {ShadowRoot} root
 * @param {any} inspector
 */
const draw = (root, inspector) => {
  const { preview } = inspector.outcome;
  const [kind, ...names] = titleOf(inspector);
  const isProblem = !!preview && preview.state !== 'shown';
  let current = memory.read();
  let isDirty = false;

  const count = el('span', { class: 'tag bad', title: 'problems found', hidden: true });
  const content = el('div', { role: 'tabpanel', id: 'content', tabindex: '0' });
  const status = el('p', { role: 'status', class: 'sr' });
  const tabs = TABS.map(([id, title]) =>
    el(
      'button',
      {
        role: 'tab',
        id,
        'aria-controls': 'content',
        click: () => show(id),
        keydown: (/** @type {KeyboardEvent} */ event) => turn(event),
      },
      title,
    ),
  );
  const copy = el('button', { click: () => copyAll() }, 'Copy as JSON');
  const panel = el(
    'div',
    {
      class: 'panel',
      id: 'panel',
      hidden: true,
      keydown: (/** @type {KeyboardEvent} */ { key }) => key === 'Escape' && close(),
    },
    el('div', { role: 'tablist', 'aria-label': 'Views' }, ...tabs),
    content,
    el(
      'div',
      { class: 'foot' },
      copy,
      el(
        'span',
        { class: 'dim' },
        preview?.version
          ? `Version ${preview.version}, until ${new Date(preview.expiresAt).toLocaleTimeString()}`
          : '',
      ),
    ),
  );
  const toggle = el(
    'button',
    {
      'aria-expanded': 'false',
      'aria-controls': 'panel',
      click: () => (panel.hidden ? show(current || 'decisions') : close()),
    },
    'Details',
  );
  const title = el(
    'span',
    { class: 'title' },
    el('b', {}, kind),
    names.length > 0 && ` · ${names.join(' · ')}`,
  );
  const bar = el(
    'div',
    { class: 'bar' },
    title,
    count,
    toggle,
    el('button', { class: 'quiet', click: () => inspector.end() }, 'Leave'),
  );

  const render = () => {
    const { length } = inspector.findings();
    count.textContent = `${length}`;
    count.hidden = !length;
    const news = length ? `${length} problems found on this page` : '';
    if (status.textContent !== news) status.textContent = news; // else it would be read out again
    if (panel.hidden) return;
    const { activeElement } = root;
    isDirty =
      !!activeElement && content.contains(activeElement) && /^(SELECT|INPUT)$/.test(activeElement.tagName);
    if (isDirty) return; // it would take the field away from under the reader
    const view = TABS.find(([id]) => id === current) || TABS[0];
    const notice = isProblem && el('p', { class: 'notice off' }, preview.message);
    content.replaceChildren();
    const shown = view[2]({ inspector, shot: inspector.snapshot() });
    for (const child of [notice, ...shown]) if (child) content.append(child);
  };

  /** @param {string} id */
  const show = (id) => {
    const isNew = current !== id || panel.hidden;
    current = id;
    panel.hidden = false;
    toggle.setAttribute('aria-expanded', 'true');
    for (const tab of tabs) {
      const isCurrent = tab.id === id;
      tab.setAttribute('aria-selected', `${isCurrent}`);
      tab.tabIndex = isCurrent ? 0 : -1;
      if (isCurrent) content.setAttribute('aria-labelledby', id);
    }
    memory.write(id);
    render();
    if (isNew) content.scrollTop = 0;
  };

  const close = () => {
    panel.hidden = true;
    toggle.setAttribute('aria-expanded', 'false');
    memory.write('');
    toggle.focus();
  };

  /** Arrow keys move between tabs. @param {KeyboardEvent} event */
  const turn = ({ key }) => {
    const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
    if (!step) return;
    const next = tabs[(tabs.findIndex(({ id }) => id === current) + step + tabs.length) % tabs.length];
    show(next.id);
    next.focus();
  };

  const copyAll = async () => {
    const text = JSON.stringify(
      { preview: preview && { ...preview, token: undefined }, ...inspector.snapshot() },
      null,
      1,
    );
    try {
      await navigator.clipboard.writeText(text);
      copy.textContent = 'Copied';
    } catch {
      // Clipboards need a secure page: the text is shown for copying by hand.
      const area = el('textarea', { rows: '12', readonly: true, style: 'width:100%' });
      area.value = text;
      content.replaceChildren(area);
      area.select();
    }
  };

  content.addEventListener('focusout', () => isDirty && setTimeout(render, 0));
  root.append(panel, bar, status);
  inspector.onChange(render);
  setInterval(() => !document.hidden && render(), 2000);
  if (current || isProblem) show(current || 'decisions');
  else render();
};

/** @param {any} inspector what the tool gives: the outcome, snapshots, and what the bar may do */
const install = (inspector) => {
  const host = document.createElement('div');
  host.id = 'svc-bar';
  host.setAttribute('role', 'region');
  host.setAttribute('aria-label', 'Preview and QA of experiments');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLES);
  root.adoptedStyleSheets = [sheet];
  draw(root, inspector);
  // Outside of the body, which frameworks take for theirs.
  const { documentElement } = document;
  let returns = 0;
  const attach = () => {
    if (!host.isConnected && returns++ < MAX_RETURNS) documentElement.append(host);
  };
  attach();
  new MutationObserver(attach).observe(documentElement, { childList: true });
};

/** Show the bar. Never throws. */
export const start = () => {
  const root = /** @type {any} */ (document.documentElement);
  const inspector = root.svc;
  try {
    if (inspector?.snapshot) install(inspector);
  } catch (error) {
    console.warn('svc', error);
  }
};
