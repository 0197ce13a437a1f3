// What a shop's own code may write, and what the types must refuse: an `@ts-expect-error` without an error is one.

import { storefront, track, whenReady, type Svc, type SvcAssignment } from '@abtest/storefront';
import { StorefrontProvider, useDecided, useExperiment, useFlag, usePersonalization } from '@abtest/storefront/react';
import { assign, bootstrapOf, newVisitor, serialize } from '@abtest/storefront/server';
import type { ReactNode } from 'react';

export const ready: Promise<Svc | undefined> = whenReady(1000);
export const id: string | undefined = storefront()?.visitorId();
// @ts-expect-error: there may be no snippet
storefront().visitorId();
window.svc = { country: 'DE' };

track('add_to_cart', { sku: 'mug' });
// @ts-expect-error: an order has a revenue
track('order', { orderId: 'A-1' });

export const Price = (): ReactNode => {
  const isWide: boolean = useFlag('wide-gallery', false);
  const columns: number = useFlag('columns', 3);
  const label: 'Buy' | 'Order' = useFlag<'Buy' | 'Order'>('label', 'Buy');
  const layout: { columns: number } = useFlag('layout', { columns: 3 });
  // @ts-expect-error: a flag of a boolean is not only its fallback
  const narrow: false = useFlag('wide-gallery', false);
  const variation: SvcAssignment | undefined = useExperiment('0192f3a0-0000-7000-8000-000000000001');
  // @ts-expect-error: the visitor may be outside of the experiment
  const index: number = useExperiment('0192f3a0-0000-7000-8000-000000000001').variationIndex;
  return <p>{[isWide, columns, label, layout.columns, narrow, variation?.variationIndex, index, useDecided()].join()}</p>;
};

export const Page = (props: { bootstrap?: Parameters<typeof serialize>[0] }): ReactNode => (
  <StorefrontProvider bootstrap={props.bootstrap}>
    <Price />
    {String(usePersonalization('hero'))}
  </StorefrontProvider>
);

export const serve = async (request: Request): Promise<Response> => {
  const { url } = request;
  const seen = { url, cookie: request.headers.get('cookie'), userAgent: request.headers.get('user-agent') };
  const visitor = newVisitor({ ...seen, consentMode: false });
  // @ts-expect-error: whether the shop asks for consent is never left open
  newVisitor(seen);
  const { bootstrap, answer, error } = await assign({ ...seen, visitor, edge: 'https://edge.example', key: 'svc_ts_1' });
  if (error) console.warn(error.message);
  const [redirect] = answer?.assignments.filter((each) => each.redirect_url) ?? [];
  const same = answer ? serialize(bootstrapOf(answer)) : serialize(bootstrap);
  return new Response(same, { headers: visitor ? { 'set-cookie': visitor.header, location: `${redirect}` } : {} });
};
