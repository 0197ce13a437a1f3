// Attributes that data-layer triggers keep in the browser's storage, one key each with its expiry time.
// They are read when an audience first uses them.

import { toJson } from './json.js';
import { record } from './lists.js';
import { now } from './natives.js';

const PREFIX = 'svc_a.';
const MAX_CHARS = 10_000;
const DAY_MS = 24 * 3600 * 1000;
const DEFAULT_DAYS = 30;

/** Parse the output of `toJson`: its strings contain no quotes and no escapes except `\uXXXX`. @param {string} text */
const parse = (text) => {
  const tokens = /"([^"]*)"|[^"[\]{},:]+|[[\]{}]/g;
  const next = () => /** @type {RegExpExecArray} */ (tokens.exec(text));

  /** @param {RegExpExecArray} token @returns {any} */
  const read = ([token, quoted]) => {
    if (quoted !== undefined) {
      return quoted.replace(/\\u(....)/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
    }
    if (token === '[') {
      const list = [];
      for (let item = next(); item[0] !== ']'; item = next()) list[list.length] = read(item);
      return list;
    }
    if (token === '{') {
      const object = record();
      for (let name = next(); name[0] !== '}'; name = next()) object[read(name)] = read(next());
      return object;
    }
    return token === 'true' || (token === 'false' ? false : token === 'null' ? null : +token);
  };

  return read(next());
};

/**
 * Store an attribute; a failure is ignored, the attribute then lasts for this page only.
 * @param {string} name
 * @param {unknown} value
 * @param {number} [days]
 */
export const keep = (name, value, days = DEFAULT_DAYS) => {
  const text = `${Math.ceil(now() + days * DAY_MS)}:${toJson(value)}`;
  try {
    if (text.length <= MAX_CHARS) window.localStorage.setItem(PREFIX + name, text);
  } catch {}
};

/** The stored attribute, or undefined if it does not exist or has expired. @param {string} name */
export const recall = (name) => {
  try {
    const { localStorage: storage } = window;
    const [, end, text] = /** @type {string[]} */ (/^(\d+):([^]*)$/.exec(storage.getItem(PREFIX + name) || ''));
    if (now() < +end) return parse(text);
    storage.removeItem(PREFIX + name);
  } catch {}
  return undefined;
};
