// What core declares for certain parts only: it goes where the last of them goes.

import { isPure, markedIn, variablesOf, withComma, withMarks } from './syntax.mjs';

/** In the place of parts: what is kept in every bundle. */
const ALWAYS = 'core';

/** The bundle's own declarations of functions and values: `{node, users}`, nobody being known to use them yet. */
const declarationsOf = (variables) =>
  variables.flatMap(({ defs, references }) => {
    const node = defs[0]?.node;
    const isSimple = node?.type === 'VariableDeclarator' && node.id.type === 'Identifier';
    if (!isSimple || (node.init && !isPure(node.init))) return [];
    return [{ node, users: new Set(), places: references.filter(({ init }) => !init).map((one) => one.identifier) }];
  });

const contains = (outer, { start }) => outer.start <= start && start < outer.end;

/** Follows uses until nothing new is found: a declaration is used by those that use what uses it. */
const findUsers = (declarations, marked) => {
  const usersAt = (place) => {
    const around = marked.filter((mark) => contains(mark, place)).sort((one, other) => other.start - one.start);
    const within = declarations.find(({ node }) => contains(node, place));
    const [inner] = around;
    if (within && !(inner && inner.start > within.node.start)) return within.users;
    return inner ? inner.name.split('|') : [ALWAYS];
  };
  let found;
  do {
    found = 0;
    for (const { users, places } of declarations) {
      const before = users.size;
      for (const place of places) for (const name of usersAt(place)) users.add(name);
      found += users.size - before;
    }
  } while (found);
};

/** The bundle with marks of the parts around what only they use. */
export const markShared = (code) => {
  const marked = markedIn(code);
  const declarations = declarationsOf(variablesOf(code));
  findUsers(declarations, marked);
  const wanted = [];
  for (const { node, users } of declarations) {
    if (users.has(ALWAYS) || marked.some((part) => contains(part, node))) continue;
    const [start, end] = withComma(node.parent.declarations, node);
    wanted.push({ name: [...users].sort().join('|'), start, end });
  }
  return withMarks(code, wanted);
};
