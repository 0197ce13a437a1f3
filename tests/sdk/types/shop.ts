// What a shop's own code may write, and what the types must refuse: an `@ts-expect-error` without an error is one.

import type { Svc, SvcAssignment, SvcExplanation, SvcStep } from '../../../shared/abtest/storefront/svc';
import type { Api } from '../../../shared/abtest/storefront/src/types';

window.svc = { country: 'DE', customer_id: 17, cart: { value: 49.9, items: 2 }, page: { template: 'product' } };
// @ts-expect-error: a country is a text
window.svc = { country: 49 };

svc.track('order', { orderId: 'A-1', revenue: '49.90', currency: 'EUR', items: [{ sku: 'x', price: 49.9 }] });
svc.track('refund', { orderId: 'A-1', revenue: 10 });
svc.track('add_to_cart');
svc.track('add_to_cart', { sku: 'x', nested: { deep: [1, null, true] } });
// @ts-expect-error: an order has a revenue
svc.track('order', { orderId: 'A-1' });
// @ts-expect-error: and is never without data
svc.track('order');
// @ts-expect-error: a refund names its order
svc.track('refund', { revenue: 10 });
// @ts-expect-error: functions go into no event
svc.track('add_to_cart', { callback: () => 1 });

svc.set({ customer_id: null, customer: { tags: ['vip'] }, anything: { of: ['our', 'own'] } });
// @ts-expect-error: tags are texts
svc.set({ customer: { tags: [1] } });

export const limit: number = svc.flag<number>('limit', 3);
export const label: string = svc.flag<string>('label', 'Buy');
// @ts-expect-error: without a fallback it may be undefined, and of any form
export const wrong: string = svc.flag('label');

export const shown: SvcAssignment[] = svc.assignments();
// @ts-expect-error: what was decided is not changed
svc.assignments()[0].variationId = 'other';
export const id: string = svc.visitorId();
export const kept: Record<string, string> = svc.cart();

svc.ready((sdk: Svc) => sdk.set({}));
export const stop: () => void = svc.on('exposure', ({ experimentId, variationId, qa_mode: isQa }) =>
  svc.track('seen', { experimentId, variationId, isQa }),
);
svc.on('decision', (list) => list.map(({ variationIndex }) => variationIndex));
svc.explain().then((explanation) => {
  for (const { id: about, step, detail, applied } of explanation?.experiments || []) {
    if (step === 'audience') svc.track('outside', { about, applied, attribute: detail.attribute });
  }
});
svc.debug().then((seen) => seen?.findings.map(({ kind, message }) => `${kind}: ${message}`));
svc.preview?.end();
svc.on('consent', ({ granted }) => svc.track('asked', { granted }));
// @ts-expect-error: nothing is told under this name
svc.on('exposed', () => {});
svc.force('0192f3a0-0000-7000-8000-000000000001', 1);
svc.force('0192f3a0-0000-7000-8000-000000000001', '0192f3a0-0000-7000-8000-000000000002');
svc.force('0192f3a0-0000-7000-8000-000000000001');
svc.force();
// @ts-expect-error: a variation is an id or a position
svc.force('0192f3a0-0000-7000-8000-000000000001', true);
svc.consent(true);
// @ts-expect-error: an answer is true or false
svc.consent('granted');
// @ts-expect-error: there is no such call
svc.unknown();

declare const why: SvcExplanation;
for (const { step, detail, applied, assigned } of why.experiments) {
  if (step === 'audience') console.log(applied, detail.attribute, detail.value);
  if (step === 'traffic') console.log(detail.bucket < detail.ranges[0][1], assigned?.index);
  if (step === 'page_rule' && detail.because === 'condition') console.log(detail.attribute);
  // @ts-expect-error: an audience has no bucket
  if (step === 'audience') console.log(detail.bucket);
}
// @ts-expect-error: an explanation is not changed
why.flags[0].applied = true;
// @ts-expect-error: there is no such step
export const step: SvcStep = 'guess';

// What the SDK's own code makes is what shops are told.
declare const made: Api;
export const told: Svc = made;
