/*
 * Facts about a loaded page, for the checks of a QA run. A function: it is called in the page with
 * { mode: 'page' | 'layout', tags: string[] }, and returns JSON. `layout` is all that depends on the width alone.
 * The rules of accessibility are axe-core's, which was loaded into the page before.
 */
async ({ mode, tags }) => {
  const MOST = 30; // elements of one kind that are reported
  const CONTROLS = 'a[href], button, summary, select, textarea, input:not([type=hidden]), [role=button], [role=link]';
  const KINDS = {
    a: 'link', button: 'button', summary: 'question', select: 'field', textarea: 'field', input: 'field', img: 'image',
    video: 'film', form: 'form', label: 'label', p: 'text', li: 'list item', table: 'table', section: 'block',
    footer: 'footer', main: 'content', html: 'page', body: 'page', iframe: 'frame', h1: 'heading', h2: 'heading',
    h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading',
  };
  const WHOLE = 'html, body, main, section, footer, form'; // named by their first heading
  const BUTTONS = new Set(['submit', 'button', 'reset', 'image']);

  const short = (text, most = 60) => {
    const line = (text ?? '').replace(/\s+/g, ' ').trim();
    return line.length > most ? `${line.slice(0, most - 1)}…` : line;
  };
  const all = (selector) => [...document.querySelectorAll(selector)];
  const isRendered = (element) => element.getClientRects().length > 0;
  const isUnique = (selector) => all(selector).length === 1;

  const selectorOf = (element) => {
    const parts = [];
    for (let one = element; one; one = one.parentElement) {
      const id = one.id && `#${CSS.escape(one.id)}`;
      if (id && isUnique(id)) {
        parts.unshift(id);
        break;
      }
      if (one === document.documentElement || one === document.body) {
        if (one === element) parts.unshift(one.localName);
        break;
      }
      const alike = [...one.parentElement.children].filter((other) => other.localName === one.localName);
      parts.unshift(alike.length > 1 ? `${one.localName}:nth-of-type(${alike.indexOf(one) + 1})` : one.localName);
    }
    return parts.join(' > ');
  };
  const headingOf = (element) =>
    (element.closest('section') ?? element).querySelector('h1, h2, h3')?.innerText ?? '';
  const nameOf = (element) =>
    short(
      element.getAttribute('aria-label') ||
        element.getAttribute('alt') ||
        element.labels?.[0]?.innerText ||
        (BUTTONS.has(element.type) && element.value) ||
        (element.matches(WHOLE) ? headingOf(element) : element.innerText || element.textContent) ||
        element.getAttribute('name') ||
        (element.currentSrc || '').split('/').pop(),
    );
  const wordsOf = (element) => {
    const kind = element.localName === 'input' && BUTTONS.has(element.type) ? 'button' : KINDS[element.localName];
    const name = nameOf(element);
    const block = element.parentElement?.closest('section[id]');
    const place = block ? ` in the block #${block.id}` : element.parentElement?.closest('footer') ? ' in the footer' : '';
    return `the ${kind ?? `element <${element.localName}>`}${name ? ` “${name}”` : ''}${place}`;
  };
  const named = (element, more) => ({ selector: selectorOf(element), words: wordsOf(element), ...more });
  const soon = (promise, seconds) =>
    Promise.race([promise, new Promise((done) => setTimeout(done, seconds * 1000))]).catch(() => undefined);
  const frame = () => soon(new Promise((done) => requestAnimationFrame(() => setTimeout(done))), 0.2);

  const clips = (element) => {
    for (let one = element.parentElement; one && one !== document.body; one = one.parentElement) {
      if (getComputedStyle(one).overflowX !== 'visible') return true;
    }
    return false;
  };
  const layout = () => {
    const width = document.documentElement.clientWidth;
    const past = all('body *').filter((element) => {
      const place = element.getBoundingClientRect();
      if (place.width <= 1 || place.height <= 1 || (place.right <= width + 0.5 && place.left >= -0.5)) return false;
      return element.checkVisibility({ visibilityProperty: true }) && !clips(element);
    });
    const outer = new Set(past.flatMap((element) => (past.includes(element.parentElement) ? [element.parentElement] : [])));
    return {
      width,
      scroll_width: document.documentElement.scrollWidth,
      past_the_edge: past
        .filter((element) => !outer.has(element))
        .sort((a, b) => b.getBoundingClientRect().right - a.getBoundingClientRect().right)
        .slice(0, MOST)
        .map((element) => named(element, { right: Math.round(element.getBoundingClientRect().right) })),
      absent: all(CONTROLS).filter((element) => !isRendered(element)).slice(0, 500).map((element) => named(element)),
    };
  };

  for (const one of document.querySelectorAll('details')) one.open = true;
  await frame();
  if (mode === 'layout') return { layout: layout() };

  const entries = (type) =>
    new Promise((done) => {
      const observer = new PerformanceObserver((list) => {
        observer.disconnect();
        done(list.getEntries());
      });
      observer.observe({ type, buffered: true });
      setTimeout(() => done([]), 100);
    });
  const timing = async () => {
    const [shifts, paints, tasks] = await Promise.all(
      ['layout-shift', 'largest-contentful-paint', 'longtask'].map(entries),
    );
    const largest = paints.at(-1);
    return {
      shifts: shifts
        .filter((one) => !one.hadRecentInput)
        .map((one) => {
          const elements = one.sources
            .map(({ node }) => (node?.nodeType === Node.TEXT_NODE ? node.parentElement : node))
            .filter((node) => node?.isConnected);
          const element = elements.find((each) => !each.matches('html, body, main')) ?? elements[0];
          return { value: one.value, at: one.startTime, ...(element ? named(element) : { selector: null, words: null }) };
        }),
      largest_paint: largest ? { at: largest.startTime, ...(largest.element ? named(largest.element) : {}) } : null,
      long_tasks: tasks.map((one) => one.duration),
      resources: performance
        .getEntriesByType('resource')
        .map((one) => ({ url: one.name, bytes: one.encodedBodySize, kind: one.initiatorType })),
    };
  };

  const reach = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return { problem: 'invisible' };
    element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    const rects = [...element.getClientRects()].sort((a, b) => b.width * b.height - a.width * a.height);
    const { left, top, width, height } = rects[0];
    if (width < 2 || height < 2) return { problem: 'invisible' };
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    if (!hit) return { problem: 'outside' };
    if (element.contains(hit) || [...(element.labels ?? [])].some((label) => label.contains(hit))) return null;
    const isBehind = hit.contains(element);
    return isBehind ? { problem: 'unreachable' } : { problem: 'covered', by: named(hit) };
  };
  const controls = () => {
    const found = [];
    for (const element of all(CONTROLS).filter(isRendered)) {
      let problem = reach(element);
      // What comes into view with the focus, such as a skip link, is not hidden from those who need it.
      if (problem && problem.problem !== 'covered') {
        element.focus({ preventScroll: true });
        problem = document.activeElement === element ? reach(element) : problem;
        element.blur();
      }
      if (problem && found.length < MOST) found.push(named(element, { by: null, ...problem }));
    }
    scrollTo(0, 0);
    return found;
  };

  const picture = async (element) => {
    await soon(element.decode(), 3);
    const is_decoded = element.complete && element.naturalWidth > 0;
    const file = new Image(); // `naturalWidth` of an image with a srcset is that of its place
    let size = { width: 0, height: 0 };
    if (is_decoded && !/\.svg([?#]|$)/i.test(element.currentSrc)) {
      file.src = element.currentSrc;
      await soon(file.decode(), 3);
      size = { width: file.naturalWidth, height: file.naturalHeight };
    }
    const place = element.getBoundingClientRect();
    return named(element, {
      src: element.currentSrc || element.src,
      is_decoded,
      file_width: size.width,
      file_height: size.height,
      shown_width: place.width * devicePixelRatio,
      shown_height: place.height * devicePixelRatio,
    });
  };

  const smallTexts = () => {
    const found = new Map();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!node.data.trim() || found.has(element) || !isRendered(element)) continue;
      const size = parseFloat(getComputedStyle(element).fontSize);
      if (size < 11.99 && element.checkVisibility({ visibilityProperty: true })) found.set(element, size);
    }
    return [...found].slice(0, MOST).map(([element, size]) => named(element, { size }));
  };
  const texts = () => {
    const main = document.querySelector('main');
    const blocks = main ? [...main.children, ...[...document.body.children].filter((one) => one !== main)] : [document.body];
    return blocks
      .filter((one) => !one.matches('script, style') && isRendered(one))
      .slice(0, 100)
      .map((one) => named(one, { text: one.innerText.slice(0, 20_000) }));
  };

  const barriers = async () => {
    const result = await axe.run(document, {
      runOnly: { type: 'tag', values: tags },
      rules: { 'target-size': { enabled: true } },
      resultTypes: ['violations'],
    });
    return result.violations.map((rule) => ({
      rule: rule.id,
      help: rule.help,
      nodes: rule.nodes.slice(0, MOST).map((node) => {
        const element = document.querySelector(node.target.flat()[0]) ?? document.documentElement;
        const data = [...node.any, ...node.all, ...node.none].map((check) => check.data).find((one) => one);
        return named(element, { impact: node.impact, data: data ?? null });
      }),
    }));
  };

  const sendEmpty = (form) => {
    form.reset();
    const fields = [...form.elements].filter((one) => one.willValidate && one.required);
    const messages = [];
    let is_sent = false;
    const onSubmit = (event) => {
      is_sent = true;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const invalid = [];
    const onInvalid = (event) => invalid.push(event);
    window.addEventListener('submit', onSubmit, true);
    window.addEventListener('invalid', onInvalid, true);
    const button = form.querySelector('button:not([type]), button[type=submit], input[type=submit], input[type=image]');
    button?.click();
    window.removeEventListener('submit', onSubmit, true);
    window.removeEventListener('invalid', onInvalid, true);
    for (const event of invalid) if (!event.defaultPrevented) messages.push(event.target.validationMessage);
    return named(form, { has_button: !!button, required: fields.length, is_sent, messages: messages.slice(0, MOST) });
  };

  const times = await timing();
  const facts = {
    lang: document.documentElement.lang,
    viewport_meta: document.querySelector('meta[name=viewport]')?.content ?? null,
    headings: all('h1').filter(isRendered).map((element) => named(element)),
    nodes: all('*').length,
    layout: layout(),
    texts: texts(),
    small_texts: smallTexts(),
    controls: controls(),
    images: await Promise.all(all('img').filter(isRendered).slice(0, 200).map(picture)),
    ...times,
    barriers: await barriers(),
  };
  facts.forms = all('form').filter(isRendered).slice(0, MOST).map(sendEmpty);
  return facts;
}
