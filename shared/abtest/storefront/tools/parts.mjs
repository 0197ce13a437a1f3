// Parts of the bundle: the marks between which each stands, cutting, and the proof that what is cut can stand alone.

import { readFileSync } from 'node:fs';
import { parse } from 'acorn';
import { analyze } from 'eslint-scope';
import { MARK, OPTIONS } from './syntax.mjs';

/** `{name: {requires: [name], budget}}`, in the order in which the parts stand in the bundle. */
export const PARTS = JSON.parse(readFileSync(new URL('../parts.json', import.meta.url), 'utf8'));

const NAMES = Object.keys(PARTS);

/** What a browser has; anything else that the bundle does not declare is a name that was cut away, or misspelled. */
const BROWSER = new Set(
  [
    'Array CSSStyleSheet Comment Date Element Infinity Intl Map Math MutationObserver NaN Number Object Promise RegExp',
    'Set String URL URLSearchParams Uint8Array WeakMap addEventListener arguments crypto decodeURIComponent document',
    'globalThis history isNaN localStorage location navigator parseInt screen undefined window Error Node indexedDB',
    'WeakSet encodeURIComponent removeEventListener HTMLElement Event CustomEvent isFinite Symbol parseFloat Boolean',
    'MouseEvent console',
  ]
    .join(' ')
    .split(' '),
);

/** The parts and, first, all that they require. */
export const withRequired = (names) => {
  const all = new Set();
  const add = (name) => {
    for (const required of PARTS[name].requires) add(required);
    all.add(name);
  };
  for (const name of names) add(name);
  return all;
};

/** A module that marks where a part begins or ends: terser moves nothing across a `debugger`. */
export const BOUNDARY = 'debugger;';

/** Puts the names of the parts in the place of the marks, of which there are two a part. */
export const nameMarks = (code) => {
  const body = parse(code, OPTIONS).body[0].expression.callee.expression.body.body;
  const marks = body.filter(({ type }) => type === 'DebuggerStatement');
  if (marks.length !== 2 * NAMES.length) throw new Error(`${marks.length} marks of ${NAMES.length} parts`);
  let named = '';
  let from = 0;
  marks.forEach(({ start, end }, i) => {
    named += `${code.slice(from, start)}/*${i % 2 ? '/' : ''}${NAMES[i >> 1]}*/`;
    from = end;
  });
  named += code.slice(from);
  // What Python looks for; a text or expression of the SDK's that looks like a mark would be taken for one.
  const found = named.match(MARK).length;
  if (found !== marks.length) throw new Error('the bundle holds what looks like a mark');
  return named;
};

/** The bundle with these parts only, without marks: what `abtest.storefront.bundle` does. */
export const cut = (code, names) => {
  const [first, ...marked] = code.split(MARK);
  let text = first;
  let depth = 0; // in what is cut away
  for (let i = 0; i < marked.length; i += 3) {
    const [closing, name, following] = marked.slice(i, i + 3);
    if (!name.split('|').some((each) => names.has(each))) depth += closing ? -1 : 1;
    if (!depth) text += following;
  }
  return text;
};

/** Names that the text uses and neither declares nor finds in a browser, and those it declares and never uses. */
const namesOf = (text) => {
  const scopes = analyze(parse(text, OPTIONS), OPTIONS);
  const free = scopes.globalScope.through.map(({ identifier }) => identifier.name);
  const inner = scopes.globalScope.childScopes[0];
  const unused = inner.variables.filter((one) => one.name !== 'arguments' && !one.references.some((r) => r.isRead()));
  return {
    unknown: [...new Set(free)].filter((name) => !BROWSER.has(name)),
    unused: unused.map(({ defs: [{ node }] }) => text.slice(node.start, node.end)),
  };
};

/**
 * Proves that core, each part with what it requires, and everything parse and find all their names. A part needs
 * nothing but core and its requirements, so every other set of parts can stand as well.
 */
export const proveParts = (code) => {
  const sets = [[], ...NAMES.map((name) => [name]), NAMES];
  for (const names of sets) {
    const { unknown } = namesOf(cut(code, withRequired(names)));
    if (unknown.length) {
      throw new Error(`${names.join('+') || 'core'} needs what is cut away with a part: ${unknown.join(', ')}`);
    }
  }
};

/** What core declares for parts only: it would be smaller inside them. */
export const wasteOf = (code) => namesOf(cut(code, new Set())).unused;
