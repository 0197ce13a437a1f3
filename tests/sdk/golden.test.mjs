import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { answer, modes } from '../../tools/conformance/modes.mjs';

const asJson = (value) => JSON.parse(JSON.stringify(value));

const FOLDER = new URL('../golden/', import.meta.url);

// Explanations have no vectors of their own: tests/golden/test_explanations.py holds them against Python's.
for (const mode of Object.keys(modes).filter((each) => each !== 'explain')) {
  test(`golden vectors: ${mode}`, () => {
    const text = readFileSync(new URL(`${mode}.jsonl`, FOLDER), 'utf8');
    const lines = text.trim().split('\n');
    assert.ok(lines.length >= 150);
    for (const line of lines) {
      const { id, expected } = JSON.parse(line);
      // Through JSON: what is undefined, objects without a prototype, and the sign of zero are no differences.
      assert.deepEqual(asJson(answer(modes[mode], line).result), asJson(expected), id);
    }
  });
}
