// Elements without markup: no policy of a page is in the way.

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, any>} [properties] attributes; functions listen to the event of their name
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export const el = (name, properties = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  for (const child of children) if (child) element.append(child);
  return element;
};
