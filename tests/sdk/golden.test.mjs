import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { answer, modes } from '../../tools/conformance/modes.mjs';

for (const mode of Object.keys(modes)) {
  test(`golden vectors: ${mode}`, () => {
    const text = readFileSync(new URL(`../golden/${mode}.jsonl`, import.meta.url), 'utf8');
    const lines = text.trim().split('\n');
    assert.ok(lines.length >= 150);
    for (const line of lines) {
      const { id, expected } = JSON.parse(line);
      // Through JSON: what is undefined, and objects without a prototype, are no differences.
      const { result } = JSON.parse(JSON.stringify(answer(modes[mode], line)));
      assert.deepEqual(result, expected, id);
    }
  });
}
