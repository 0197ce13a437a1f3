// Types of `window.svc`, for the code of shops: copy this file, or name it in `types`. docs/storefront.md explains it.

/** JSON values with text keys: what goes into events and comes out of flags. */
export type SvcJson = null | boolean | number | string | SvcJson[] | { [name: string]: SvcJson | undefined };

/** A value whose type is an interface goes in as `{ ...value }`; type aliases go in as they are. */
export interface SvcData {
  [name: string]: SvcJson | undefined;
}

export interface SvcOrder extends SvcData {
  /** With one, the order is counted once, however often the page is loaded. */
  orderId?: string;
  /** In major units: `49.9`, or `"49.90"`. */
  revenue: number | string;
  /** ISO 4217; the shop's currency unless told. */
  currency?: string;
  items?: SvcJson[];
}

export interface SvcRefund extends SvcData {
  /** The order that is refunded. */
  orderId: string;
  revenue: number | string;
  currency?: string;
}

/** What audiences may ask about; top-level names that are given again replace what they were. */
export interface SvcAttributes extends SvcData {
  /** Who is logged in; null, false or 0: nobody. */
  customer_id?: string | number | null | false;
  /** ISO 3166-1 alpha-2. */
  country?: string;
  region?: string;
  city?: string;
  market?: string;
  currency?: string;
  cart?: { value?: number; items?: number; currency?: string };
  customer?: { tags?: string[] };
  /** Variables of the page. */
  page?: SvcData;
}

export interface SvcAssignment {
  readonly experimentId: string;
  readonly variationId: string;
  /** Position in the experiment; 0 is the first. */
  readonly variationIndex: number;
  /** Rises when the experiment is restarted. */
  readonly epoch: number;
}

/** What an event of this name carries. */
export type SvcEventData<Name extends string> = Name extends 'order'
  ? [data: SvcOrder]
  : Name extends 'refund'
    ? [data: SvcRefund]
    : [data?: SvcData];

export interface Svc {
  /** Counts `order`, `refund`, or an event of any other name, and fires triggers that wait for the name. */
  track<Name extends string>(name: Name, ...data: SvcEventData<Name>): void;
  /** Tells of the visitor, and decides anew. */
  set(attributes: SvcAttributes): void;
  /** The flag's value for this visitor; the fallback where there is no such flag, and as long as nothing is decided. */
  flag<Value extends SvcJson>(key: string, fallback: Value): Value;
  flag(key: string): SvcJson | undefined;
  /** The value of the experience that the visitor sees; undefined where none is shown. */
  personalization(key: string): SvcJson | undefined;
  /** Of the experiments that are shown on this page. */
  assignments(): SvcAssignment[];
  /** The id that assignment hashes; empty for bots, and as long as there is no consent. */
  visitorId(): string;
  /** What to keep with the visitor's cart, for the checkout to give back as `cart_attributes`. */
  cart(): Record<string, string>;
  /** Calls back once it has been decided what this visitor gets: at once, or when there is consent. */
  ready(fn: (svc: Svc) => void): void;
  /** Puts this page into a variation, by id or position, to look at it: from now on its events count nowhere. */
  force(experimentId: string, variation: string | number): void;
  /** Without a variation the experiment decides again, without an experiment all do. */
  force(experimentId?: string): void;
  /** Says what the visitor has answered; only where the shop asks for consent. */
  consent(granted: boolean): void;
  /** For chunks of the snippet. */
  chunk(name: string, fn: () => void): void;
}

declare global {
  interface Window {
    /** The SDK, once the snippet has run. Before that a page may put attributes here: `window.svc = {country: 'DE'}`. */
    get svc(): Svc;
    set svc(attributes: SvcAttributes);
  }
  const svc: Svc;
}
