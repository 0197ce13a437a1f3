import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { holds } from '../../shared/abtest/storefront/src/conditions.js';

const cases = new URL('../data/growthbook/cases.json', import.meta.url);
for (const [name, condition, attributes, expected, groups] of JSON.parse(readFileSync(cases, 'utf8')).evalCondition) {
  test(`third-party case: ${name}`, () => assert.equal(holds(condition, attributes, groups), expected));
}

const settled = [
  // what has the wrong shape holds never, and its negation always
  [[], {}, false],
  [{ $and: {} }, {}, false],
  [{ $or: [5] }, {}, false],
  [{ $not: 5 }, {}, true],
  [{ $nor: 5 }, {}, true],
  [{ $nor: [] }, {}, false],
  [{ a: { $unknown: 1 } }, { a: 1 }, false],
  [{ a: { $not: { $unknown: 1 } } }, { a: 1 }, true],
  [{ a: { $vxx: '1' } }, { a: '1' }, false],
  [{ a: { $all: 'x' } }, { a: ['x'] }, false],
  [{ a: { $nin: 'x' } }, { a: 'y' }, false],
  [{ a: { $regex: 5 } }, { a: '5' }, false],
  // paths
  [{ 'a.1': 'y' }, { a: ['x', 'y'] }, true],
  [{ 'a.01': 'y' }, { a: ['x', 'y'] }, false],
  [{ 'a.length': 2 }, { a: ['x', 'y'] }, false],
  [{ constructor: null, toString: null, __proto__: null }, {}, true],
  [{ 'a.length': 1 }, { a: 'x' }, false],
  // values to equal
  [{ a: '1' }, { a: 1 }, true],
  [{ a: 'true' }, { a: true }, true],
  [{ a: 'null' }, { a: null }, false],
  [{ a: 1 }, { a: ' 1 ' }, true],
  [{ a: 0 }, { a: '' }, true],
  [{ a: 0 }, { a: null }, false],
  [{ a: 1 }, { a: true }, true],
  [{ a: 1 }, { a: [1] }, false],
  [{ a: true }, { a: [] }, true],
  [{ a: false }, { a: 0 }, true],
  [{ a: false }, { a: null }, false],
  [{ a: {} }, { a: {} }, true],
  [{ a: { x: 1, y: [2] } }, { a: { y: [2], x: 1 } }, true],
  [{ a: { x: 1 } }, { a: { x: true } }, false],
  // deep equality
  [{ a: { $eq: [1, { b: null }] } }, { a: [1, { b: null }] }, true],
  [{ a: { $eq: '1' } }, { a: 1 }, false],
  [{ a: { $ne: null } }, {}, false],
  [{ a: { $in: [[1]] } }, { a: [1] }, true],
  [{ a: { $in: [null] } }, {}, true],
  // order
  [{ a: { $lt: '10' } }, { a: '9' }, false],
  [{ a: { $lt: 10 } }, { a: '9' }, true],
  [{ a: { $gte: 0 } }, {}, true],
  [{ a: { $lt: 'x' } }, { a: 1 }, false],
  [{ a: { $gte: 'x' } }, { a: 1 }, false],
  [{ a: { $gt: 0 } }, { a: [1] }, false],
  [{ a: { $gt: '\ud83d\ude00' } }, { a: '\uffff' }, true],
  // lists
  [{ a: { $alli: ['X', { $eq: 'Y' }] } }, { a: ['x', 'Y'] }, true],
  [{ a: { $all: [{ $gt: 3 }] } }, { a: [1, 4] }, true],
  [{ a: { $ini: ['X'] } }, { a: ['q', 'x'] }, true],
  [{ a: { $elemMatch: { $eq: 0 } } }, { a: [0] }, true],
  [{ a: { $elemMatch: { b: null } } }, { a: [1] }, true],
  [{ a: { $inGroup: 'constructor' } }, { a: 1 }, false],
  // versions
  [{ a: { $veq: '0' } }, {}, true],
  [{ a: { $vgt: 9 } }, { a: 10 }, true],
  [{ a: { $veq: '1.2.3' } }, { a: 'v1.2.3+v4' }, true],
  // expressions
  [{ a: { $regex: '^12$' } }, { a: 12 }, true],
  [{ a: { $regex: 'null|' } }, {}, false],
  [{ a: { $regex: '' } }, { a: [] }, false],
  [{ a: { $regexi: 'ÄB' } }, { a: 'xäb' }, true],
  [{ a: { $regex: '^..$' } }, { a: '😀' }, true],
  [{ a: { $regex: 'x$' } }, { a: 'x'.repeat(8192) }, true],
  [{ a: { $regex: 'x$' } }, { a: 'x'.repeat(8193) }, false],
  [{ a: { $not: { $regex: '(' } } }, { a: '(' }, true],
];
for (const [condition, attributes, expected] of settled) {
  const said = `${JSON.stringify(condition)} of ${JSON.stringify(attributes).slice(0, 80)}`;
  test(`${said} is ${expected}`, () => assert.equal(holds(condition, attributes), expected));
}
