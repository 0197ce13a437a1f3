// What core declares, or takes out of an object, for certain parts only: it goes where the last of them goes.

import { isPure, markedIn, scopeOf, withComma, withMarks } from './syntax.mjs';

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

const innermost = (marked, place) =>
  marked.filter((mark) => contains(mark, place)).sort((one, other) => other.start - one.start)[0];

/** Follows uses until nothing new is found: a declaration is used by those that use what uses it. */
const findUsers = (declarations, marked) => {
  const usersAt = (place) => {
    const inner = innermost(marked, place);
    const within = declarations.find(({ node }) => contains(node, place));
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

/** Marks for declarations of core's. */
const declared = (scope, marked) => {
  const declarations = declarationsOf(scope.variables);
  findUsers(declarations, marked);
  // Where a part declares what others alone use, it is marked within that part.
  const isOwn = ({ node, users }) => innermost(marked, node)?.name.split('|').some((name) => users.has(name));
  const found = declarations.filter((each) => !each.users.has(ALWAYS) && !isOwn(each));
  // A statement of which nothing would be left goes as a whole, with the last of its users.
  const statements = new Map();
  for (const { node, users } of found) {
    const { nodes = [], all = [] } = statements.get(node.parent) || {};
    statements.set(node.parent, { nodes: [...nodes, { node, users }], all: [...all, ...users] });
  }
  return [...statements].flatMap(([statement, { nodes, all }]) => {
    const { declarations: items } = statement;
    if (nodes.length < items.length) return nodes.map(({ node, users }) => ({ users, items, node }));
    return [{ users: all, items: [statement], node: statement }];
  });
};

/** Marks for what any function takes out of an object by `{name}`, in its parameters or a declaration. */
const unpacked = (scope, marked) => {
  const found = scope.childScopes.flatMap((inner) => unpacked(inner, marked));
  for (const { defs, references } of scope.variables) {
    const node = defs[0]?.name.parent;
    const items = node?.parent.type === 'ObjectPattern' ? node.parent.properties : [];
    if (items.length < 2 || items.some(({ type }) => type !== 'Property')) continue;
    const uses = references.filter(({ init }) => !init).map(({ identifier }) => innermost(marked, identifier));
    const around = uses.map((mark) => mark?.start > node.start && mark);
    if (!around.every(Boolean)) continue;
    if (around.length) found.push({ users: around.flatMap(({ name }) => name.split('|')), items, node });
  }
  return found;
};

/** The bundle with marks of the parts around what only they use. */
export const markShared = (code) => {
  const marked = markedIn(code);
  const scope = scopeOf(code);
  const found = [...declared(scope, marked), ...unpacked(scope, marked)];
  const places = found.map(({ users, items, node }) => {
    const [start, end] = withComma(items, node);
    return { name: [...new Set(users)].sort().join('|'), start, end };
  });
  return withMarks(code, places);
};
