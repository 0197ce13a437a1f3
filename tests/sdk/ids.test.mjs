import assert from 'node:assert/strict';
import { test } from 'node:test';
import '../../shared/abtest/storefront/src/ids.js';
import { parts } from '../../shared/abtest/storefront/src/parts.js';

/** As `tests/unit/delivery/test_inlined_config.py` has them. */
const TOGETHER = '019b7ecb256d7000019b7ecb256d74f9019b7ecb256d73e7b4adb06e5e97f5f8b482d4b3d8aaa1f6af9dcd9e54dc7651';

test('ids stand in one text, each in two halves', () => {
  const experiments = [{ variations: [{}] }, { variations: [], goals: [] }];
  parts._name({ experiments, ids: TOGETHER });
  assert.equal(experiments[0].id, '019b7ecb-256d-7000-b4ad-b06e5e97f5f8');
  assert.equal(experiments[0].variations[0].id, '019b7ecb-256d-74f9-b482-d4b3d8aaa1f6');
  assert.equal(experiments[1].id, '019b7ecb-256d-73e7-af9d-cd9e54dc7651');
});
