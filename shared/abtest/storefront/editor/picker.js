// Pointing at elements: a frame around the one below the pointer, and around the chosen one. Nothing reaches the page.

const FRAME = `position:fixed;z-index:2147483646;pointer-events:none;border:2px solid #1d5bb8;border-radius:3px;
background:rgb(29 91 184/.10);box-sizing:border-box;display:none`;
const STOPPED = [
  'pointerdown', 'pointerup', 'mousedown', 'mouseup', 'touchstart', 'touchend', 'dblclick', 'submit', 'auxclick',
  'contextmenu',
];

/** @param {(element: Element) => void} choose */
export const createPicker = (choose) => {
  const host = document.createElement('div');
  const root = host.attachShadow({ mode: 'closed' });
  const frames = ['hovered', 'chosen'].map(() => {
    const frame = document.createElement('div');
    frame.style.cssText = FRAME;
    root.append(frame);
    return frame;
  });
  const [hover, mark] = /** @type {[HTMLElement, HTMLElement]} */ (/** @type {unknown} */ (frames));
  mark.style.borderColor = '#b04a05';
  mark.style.background = 'none';
  document.documentElement.append(host);
  let isPicking = false;
  /** @type {Element | null} */
  let chosen = null;

  /** @param {HTMLElement} frame @param {Element | null} element */
  const surround = (frame, element) => {
    const box = element?.isConnected && element.getBoundingClientRect();
    frame.style.display = box && box.width ? 'block' : 'none';
    if (!box) return;
    for (const side of /** @type {const} */ (['left', 'top', 'width', 'height'])) frame.style[side] = `${box[side]}px`;
  };

  /** @param {Event} event */
  const at = (event) => {
    const [target] = event.composedPath();
    return target instanceof Element && !/^(html|body)$/.test(target.localName) ? target : null;
  };

  /** @param {Event} event */
  const stop = (event) => {
    if (!isPicking) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  for (const type of STOPPED) addEventListener(type, stop, { capture: true, passive: false });
  addEventListener('click', (event) => {
    if (!isPicking) return;
    stop(event);
    const element = at(event);
    if (element) select(element);
  }, true);
  addEventListener('pointermove', (event) => isPicking && surround(hover, at(event)), true);
  document.documentElement.addEventListener('pointerleave', () => surround(hover, null));
  const follow = () => {
    surround(mark, chosen);
    surround(hover, null);
  };
  addEventListener('scroll', follow, true);
  addEventListener('resize', follow);

  /** @param {Element} element */
  const select = (element) => {
    chosen = element;
    follow();
    choose(element);
  };

  return {
    select,
    /** Frame what was chosen again, after the page changed. */
    follow,
    /** Forget what was chosen. */
    clear: () => {
      chosen = null;
      follow();
    },
    /** @returns {Element | null} */
    chosen: () => (chosen?.isConnected ? chosen : null),
    /** @param {boolean} is */
    pick: (is) => {
      isPicking = is;
      if (!is) surround(hover, null);
    },
  };
};
