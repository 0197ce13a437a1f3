// Answers conformance lines from standard input with the storefront's own code:
// `node tools/conformance.mjs hash|url|condition|decide|explain|signal`. One JSON object a line in, one a line out,
// in the same order.

import { answer, modes } from './conformance/modes.mjs';

/** Waits where the reader is slower than we are: output must not pile up in memory. */
const write = (text) =>
  process.stdout.write(text) || new Promise((resolve) => process.stdout.once('drain', resolve));

/** Lines end at line feeds only: node:readline would also break at U+2028, which may stand inside a JSON string. */
async function* lines(input) {
  let rest = '';
  for await (const chunk of input.setEncoding('utf8')) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop();
    yield* parts;
  }
  yield rest;
}

process.stdout.on('error', () => process.exit()); // the reader has read enough

const stream = async (compute) => {
  let pending = '';
  for await (const line of lines(process.stdin)) {
    if (line.trim()) pending += `${JSON.stringify(answer(compute, line))}\n`;
    if (pending.length > 65536) {
      await write(pending);
      pending = '';
    }
  }
  await write(pending);
};

const compute = modes[process.argv[2]];
if (compute) await stream(compute);
else {
  console.error(`usage: node tools/conformance.mjs ${Object.keys(modes).join('|')} < lines`);
  process.exitCode = 2;
}
