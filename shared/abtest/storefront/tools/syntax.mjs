// The syntax tree of the bundle, with marks: what stands where, and putting more marks in.

import { parse } from 'acorn';
import { analyze } from 'eslint-scope';

/** How the bundle is read. */
export const OPTIONS = { ecmaVersion: 2020, sourceType: 'script', ranges: true, preserveParens: true };
const PURE = /^(Identifier|Literal|(Logical|Binary|Unary|Chain|Member|Array|Parenthesized|ArrowFunction)Expression)$/;
/** What begins and ends a text that is kept where one of the named parts is. */
export const MARK = /\/\*(\/?)([a-z_|]+)\*\//g;

const fieldsOf = (node) => Object.keys(node).filter((name) => name !== 'parent');

const childrenOf = (node) =>
  fieldsOf(node)
    .flatMap((name) => node[name])
    .filter((child) => typeof child?.type === 'string');

const setParents = (node) => {
  for (const child of childrenOf(node)) {
    child.parent = node;
    setParents(child);
  }
};

/** The scope of the bundle itself, as eslint-scope tells it; each node has its `parent`. */
export const scopeOf = (code) => {
  const tree = parse(code, OPTIONS);
  setParents(tree);
  return analyze(tree, { ...OPTIONS, fallback: fieldsOf }).globalScope.childScopes[0];
};

/** Whether nothing is missed where the expression is not evaluated. */
export const isPure = (node) =>
  PURE.test(node.type) &&
  node.operator !== 'delete' &&
  (node.type === 'ArrowFunctionExpression' || childrenOf(node).every(isPure));

/** Whether the expression means something else where it comes first: a block, or a declaration. */
export const isOpening = (node) =>
  /^(Object|Function|Class)Expression$/.test(node.type) ||
  childrenOf(node).some((child) => child.start === node.start && isOpening(child));

/** Where an item of a list stands, with its comma if there are others. */
export const withComma = (items, node) => {
  const at = items.indexOf(node);
  if (items.length === 1) return [node.start, node.end];
  return at ? [items[at - 1].end, node.end] : [node.start, items[1].start];
};

/** What stands between marks: `{name, start, end}` each. */
export const markedIn = (code) => {
  const open = [];
  const marked = [];
  for (const { 0: mark, 1: closing, 2: name, index } of code.matchAll(MARK)) {
    if (!closing) open.push({ name, start: index });
    else marked.push({ ...open.pop(), end: index + mark.length });
  }
  return marked;
};

const isWithin = (one, other) => other.start <= one.start && one.end <= other.end;

const isNested = (one, other) => isWithin(one, other) !== isWithin(other, one);

const areApart = (one, other) => one.end <= other.start || other.end <= one.start;

/** The code with marks around `{name, start, end}` each. One that overlaps another of them stays as it was. */
export const withMarks = (code, wanted) => {
  const placed = [];
  for (const each of wanted) {
    if (placed.every((one) => areApart(one, each) || isNested(one, each))) placed.push(each);
  }
  const marks = placed.flatMap(({ name, start, end }) => [
    { at: start, order: start - end, text: `/*${name}*/` },
    { at: end, order: end - start - 2 * code.length, text: `/*/${name}*/` },
  ]);
  // At one place what ends there is closed first, inner before outer, then what begins there is opened, outer first.
  marks.sort((one, other) => one.at - other.at || one.order - other.order);
  let text = '';
  let from = 0;
  for (const mark of marks) {
    text += code.slice(from, mark.at) + mark.text;
    from = mark.at;
  }
  return text + code.slice(from);
};
