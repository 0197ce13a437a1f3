// Bundles for the sets of parts that most shops need, minified once more after cutting: it is known there which parts
// call each other, which functions have one caller, and which arguments are always the same (docs/adr/0018).

import { readFileSync } from 'node:fs';
import swc from '@swc/core';
import { minify } from 'terser';
import { propertiesOf, tableIn } from './calls.mjs';
import { cut, withRequired } from './parts.mjs';

/** `{parts, budget}` of each set; what its parts require is added. */
const SETS = JSON.parse(readFileSync(new URL('../sets.json', import.meta.url), 'utf8'));
/** Begins what is minified: a value that nobody uses would be taken out. */
const USE = 'use=';
const BEGIN = '(()=>{';

/** The code with `[start, end, text]` put in; what is inside of a longer one goes with it. */
const edited = (code, edits) => {
  let text = '';
  let from = 0;
  for (const [start, end, put] of edits.sort((one, other) => one[0] - other[0] || other[1] - one[1])) {
    if (start < from) continue;
    text += code.slice(from, start) + put;
    from = end;
  }
  return text + code.slice(from);
};

const isCalled = (node) => node.parent.type === 'CallExpression' && node.parent.callee === node;

/**
 * What replaces one property of `parts`, which is a variable `local` now.
 * @returns {[number, number, string][]}
 */
const editOf = (node, local, isOnlyWrite) => {
  const { start, end, parent } = node;
  if (isOnlyWrite && parent.parent.type === 'ExpressionStatement') return [start, end, `var ${local}`];
  return [start, isCalled(node) && parent.optional ? end + '?.'.length : end, local];
};

/** The cut bundle with a variable for each property of `parts`. Calls of parts that are not there are undefined. */
const withoutTable = (code, table) => {
  const members = new Map();
  for (const node of propertiesOf(code, table)) {
    const { name } = node.property;
    members.set(name, [...(members.get(name) || []), node]);
  }
  const edits = [];
  const declared = [];
  for (const [name, nodes] of members) {
    const local = `${table}$${name}`;
    const writes = nodes.filter((node) => node.parent.type === 'AssignmentExpression' && node.parent.left === node);
    for (const node of nodes) {
      const { start, end } = isCalled(node) ? node.parent : node;
      const isOnlyWrite = writes.length === 1 && writes[0] === node;
      edits.push(writes.length ? editOf(node, local, isOnlyWrite) : [start, end, '(void 0)']);
    }
    if (writes.length) declared.push(local);
  }
  const text = edited(code, edits);
  return declared.length ? text.replace(BEGIN, `${BEGIN}var ${declared.join()};`) : text;
};

/** Names of properties stay as they are: the tool and the bar know them. */
const minified = async (code, options) => {
  const compress = { ...options, pure_getters: true };
  const inlined = await swc.minify(USE + code, {
    ecma: 2020,
    compress: { ...compress, ecma: 2020, passes: 4 },
    mangle: { toplevel: true },
    format: { ascii_only: true },
  });
  const { code: text } = await minify(inlined.code.slice(USE.length), {
    ecma: 2020,
    compress: { ...compress, passes: 4, inline: 1 },
    mangle: { toplevel: true },
    format: { ascii_only: true, semicolons: true },
  });
  return text.replace(/[;\s]+$/, '');
};

/**
 * The bundle of each set: `[{parts, code, budget}]`.
 * @param {string} code the bundle with its marks
 * @param {object} options of minification
 */
export const setsOf = async (code, options) => {
  const { name: table } = tableIn(code);
  const sets = [];
  for (const { parts: names, budget } of SETS) {
    const parts = withRequired(names);
    const text = withoutTable(cut(code, parts), table);
    sets.push({ parts: [...parts].sort(), code: await minified(text, options), budget });
  }
  return sets;
};
