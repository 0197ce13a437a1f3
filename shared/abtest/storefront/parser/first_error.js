// Where a customer's script is no JavaScript of a given year: acorn, behind one function for an engine without modules.

import { parse } from 'acorn';

const OPENING = '(function(){\n';
const CLOSING = '\n})';
const LEFT = ['a brace closes more than the script opened', 1, 1];

/**
 * The first error of a function's body: its message, line and column, both from 1; null where there is none.
 *
 * The body is wrapped, not parsed as a program: `return` and `new.target` are right in it. A body that closes the
 * function leaves more behind than one function from the first character to the last.
 *
 * @param {string} body
 * @param {number} year the ECMAScript edition that the engine of the shopper knows
 * @returns {(string | number)[] | null}
 */
const firstError = (body, year) => {
  const whole = OPENING + body + CLOSING;
  try {
    const { body: statements } = parse(whole, {
      ecmaVersion: /** @type {import('acorn').ecmaVersion} */ (year),
      sourceType: 'script',
    });
    const [only] = statements;
    const isWhole =
      statements.length === 1 &&
      only.type === 'ExpressionStatement' &&
      only.expression.type === 'FunctionExpression' &&
      only.expression.end === whole.length - 1;
    return isWhole ? null : LEFT;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { loc, message } = /** @type {SyntaxError & {loc: {line: number, column: number}}} */ (error);
    return [message.replace(/ \(\d+:\d+\)$/, ''), loc.line - 1, loc.column + 1];
  }
};

Object.assign(globalThis, { firstError });
