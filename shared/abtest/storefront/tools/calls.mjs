// Calls of parts: where a part is cut out, what calls it goes with it.
//
// Where the part is absent, `parts.x?.()` is undefined, and `parts.x()` is never reached: the config does not call for
// it. So much is then known of the expression around it that some of that can go: it is put between marks of the part
// as well. What stays is as true or as false as before, not always the same value: nobody asks for more.

import { isOpening, isPure, markedIn, scopeOf, withComma, withMarks } from './syntax.mjs';

/** @typedef {'never' | 'false' | 'true'} Known of an expression: that it is never reached, or its truth */
/** @typedef {[start: number, end: number][]} Cuts */

/** Whether nobody asks for the value of a sequence. */
const isDiscarded = ({ parent }) =>
  parent.type === 'ExpressionStatement' ||
  (/^(Logical|Parenthesized|Sequence)Expression$/.test(parent.type) && isDiscarded(parent));

/** A statement goes whole where it stands in a block, else with what it is the body of. @returns {Cuts} */
const withoutStatement = (node) => {
  const { parent } = node;
  const { type, test, right, alternate } = parent;
  if (type === 'BlockStatement') return [[node.start, node.end]];
  const isBody = (type === 'IfStatement' && !alternate && isPure(test)) || (type === 'ForOfStatement' && isPure(right));
  return isBody ? withoutStatement(parent) : [];
};

/**
 * What follows for a parent from what is known of its child: what is known of the parent, or what may go.
 * @type {Record<string, (parent: any, node: any, known: Known) => Known | Cuts>}
 */
const FOLDS = {
  ChainExpression: (_parent, _node, known) => known,
  ParenthesizedExpression: (_parent, _node, known) => known,
  UnaryExpression: ({ operator }, _node, known) => {
    if (operator !== '!') return [];
    return known === 'never' ? known : known === 'true' ? 'false' : 'true';
  },
  LogicalExpression: ({ operator, left, right }, node, known) => {
    const decides = { '&&': 'false', '||': 'true' }[operator];
    if (!decides) return [];
    if (node === left) {
      if (known === 'never' || known === decides) return known;
      return isOpening(right) ? [] : [[left.start, right.start]];
    }
    // Where the right side is not reached, the left one has decided.
    if (known === 'never' || known === decides) return isPure(left) ? decides : [];
    return [[left.end, right.end]];
  },
  ConditionalExpression: ({ start, end, test, consequent, alternate }, node, known) => {
    const isTest = node === test;
    if (!(isTest ? known !== 'never' : known === 'never' && isPure(test))) return [];
    const isElse = isTest ? known === 'false' : node === consequent;
    const rest = isElse ? alternate : consequent;
    if (isOpening(rest)) return [];
    return [[start, rest.start], ...(isElse ? [] : [[rest.end, end]])];
  },
  IfStatement: ({ start, consequent, alternate }, { parent }, known) => {
    if (alternate || known === 'never') return [];
    return known === 'true' ? [[start, consequent.start]] : withoutStatement(parent);
  },
  SequenceExpression: (parent, node) => {
    const isLast = node === parent.expressions[parent.expressions.length - 1];
    return isLast && !isDiscarded(parent) ? [] : [withComma(parent.expressions, node)];
  },
  Property: ({ parent }, node, known) =>
    known === 'false' && parent.properties.length > 1 ? [withComma(parent.properties, node.parent)] : [],
  ExpressionStatement: (parent) => withoutStatement(parent),
};

/** @returns {Cuts} */
const cutsAround = (node, known) => {
  const folded = FOLDS[node.parent.type]?.(node.parent, node, known) || [];
  return typeof folded === 'string' ? cutsAround(node.parent, folded) : folded;
};

const isWritten = ({ type, parent }) =>
  type === 'MemberExpression' && parent.type === 'AssignmentExpression' && parent.left.type === 'MemberExpression';

const membersOf = ({ references }) =>
  references.map(({ identifier }) => identifier.parent).filter(({ type }) => type === 'MemberExpression');

/** Which part a node of the marked code stands in. */
const placesIn = (code) => {
  const marked = markedIn(code);
  return ({ start }) => marked.find((part) => part.start <= start && start < part.end)?.name;
};

/** The variable `parts` of the marked code: the one object that most parts write to. */
export const tableIn = (code) => {
  const partOf = placesIn(code);
  const writersOf = (variable) => new Set(membersOf(variable).filter(isWritten).map(partOf)).size;
  return scopeOf(code).variables.reduce((best, each) => (writersOf(each) > writersOf(best) ? each : best));
};

/** The properties of the variable of this name, wherever they stand. */
export const propertiesOf = (code, name) =>
  membersOf(scopeOf(code).variables.find((variable) => variable.name === name));

/**
 * The bundle with marks around what goes where a part goes.
 * @param {string} code with the parts between their marks
 * @param {(name: string) => Set<string>} withRequired the part and what it requires
 */
export const markCalls = (code, withRequired) => {
  const partOf = placesIn(code);
  const properties = propertiesOf(code, tableIn(code).name);
  const written = properties.filter((node) => node.parent.left === node);
  const owners = new Map(written.map((node) => [node.property.name, partOf(node)]));
  const cuts = [];
  for (const node of properties) {
    const { parent } = node;
    const name = owners.get(node.property.name);
    const user = partOf(node);
    if (parent.left === node || (user && withRequired(user).has(name))) continue;
    const isCall = parent.type === 'CallExpression' && parent.callee === node;
    const known = isCall && !parent.optional ? 'never' : 'false';
    for (const [start, end] of cutsAround(isCall ? parent : node, known)) cuts.push({ name, start, end });
  }
  return withMarks(code, cuts);
};
