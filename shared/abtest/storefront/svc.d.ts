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

/** An event as it is sent to the server. */
export interface SvcEvent {
  /** `pageview`, `experiment_viewed`, `goal`, `order`, `refund`, `custom`, `consent`, `sdk_error` or `sdk_perf`. */
  readonly type: string;
  /** The same in every repetition. */
  readonly eventId: string;
  readonly visitorId: string;
  readonly sessionId: string;
  /** Unix milliseconds. */
  readonly ts: number;
  readonly url?: string;
  /** Present in QA visits and previews, which are not counted. */
  readonly qa_mode?: true;
  readonly experimentId?: string;
  readonly variationId?: string;
  readonly assignment_epoch?: number;
  readonly data: { readonly [name: string]: unknown };
}

/** What `svc.on` calls back with, by name. */
export interface SvcNotices {
  /** A visitor was counted in a variation: once an experiment, variation and session. */
  exposure: SvcEvent;
  /** It was decided what this page shows: as `svc.assignments()`. */
  decision: SvcAssignment[];
  /** Every event. */
  event: SvcEvent;
  /** The visitor's answer; only where the shop asks for consent. */
  consent: { readonly granted: boolean };
  /** Something failed, of the shop's own scripts or of the SDK: `data` has `source` and `message`. */
  error: SvcEvent;
}

/** Where a bucket, 0 to 9999, is and must be: `from <= bucket < to` of one of the ranges. */
export interface SvcDraw {
  readonly bucket: number;
  readonly ranges: readonly (readonly [from: number, to: number])[];
  /** The id of the customer was hashed. */
  readonly identity?: 'customer';
}

/** The rule that settles it: its position among the enabled rules of its sense, from 0. */
export interface SvcRulePlace {
  readonly rule: number;
  /** `out`: the rule excludes, and it holds. */
  readonly sense: 'in' | 'out';
  /** How the rules of the sense `in` combine. */
  readonly mode: 'any' | 'all';
}

/** The comparison that settles a condition. Excerpts: what is long is cut, and shows `…`. */
export interface SvcComparison {
  /** Dotted path; null for a condition that compares nothing. */
  readonly attribute: string | null;
  readonly condition: SvcJson;
  /** The visitor's value; null where there is none. */
  readonly value: SvcJson;
}

/** `value` is the address, `condition` the URL rules that it matches (`excluded`, `taken_out`) or not. */
export interface SvcPageRule {
  readonly because: 'excluded' | 'not_included' | 'taken_out';
  readonly condition: SvcJson;
  readonly value: string | null;
}

/** What each step compared, by the step's name. In this order experiments are decided. */
export interface SvcStepDetails {
  bot: {};
  consent: {};
  /** The entry of the config cannot be read; it affects no other. */
  unreadable: {};
  /** Forced by `svc.force`, `svc_force` or the field `force`. */
  forced: {};
  /** A landing page shows the experiment: what this page is marked with. */
  served: { readonly mark: string | null };
  /** There is no id to hash. */
  no_id: {};
  holdout: SvcDraw;
  exclusion_group: SvcDraw & { readonly group: string };
  /** In, by the variation of an earlier visit, whatever the weights are now. */
  sticky: {};
  traffic: SvcDraw;
  surface: { readonly here: string | null; readonly expected: string | null };
  /** Nothing is delivered on these days. */
  weekday: { readonly day: string; readonly zone: string; readonly days: readonly string[] };
  audience: SvcRulePlace & SvcComparison;
  page_rule: SvcRulePlace & (SvcPageRule | (SvcComparison & { readonly because: 'condition' }));
  /** The page rule waits for a trigger that has not fired in this page view. */
  trigger: SvcRulePlace & { readonly trigger: string };
  /** Another personalization is shown on the surface: its key. */
  surface_taken: { readonly surface: string; readonly by: string };
  /** No rule of the personalization holds, and it has no default experience. */
  no_experience: { readonly rules: number };
  /** The flag is paused. */
  paused: {};
  /** In, by the hash. */
  assigned: SvcDraw;
}

export type SvcStep = keyof SvcStepDetails;

/** The step of a decision that settled it, and what it compared. */
export type SvcSettled = {
  [Step in SvcStep]: { readonly step: Step; readonly detail: SvcStepDetails[Step] };
}[SvcStep];

/** The variation of a visitor, and what selected it. */
export interface SvcAssigned {
  readonly id: string;
  /** Position in the experiment; 0 is the first. */
  readonly index: number;
  readonly by: 'forced' | 'served' | 'sticky' | 'hash';
}

interface SvcExplained {
  readonly id: string | null;
  /** It is shown on this page; a flag: it is on. */
  readonly applied: boolean;
}

export type SvcExplainedExperiment = SvcSettled &
  SvcExplained & {
    readonly name: string | null;
    /** The visitor's variation, also where this page does not show it: it attributes goals. Null for visitors outside. */
    readonly assigned: SvcAssigned | null;
  };

export type SvcExplainedPersonalization = SvcSettled &
  SvcExplained & {
    readonly key: string | null;
    readonly name: string | null;
    /** The experience, also for visitors outside the rollout, who are measured as not shown. */
    readonly assigned: { readonly id: string; readonly key: string } | null;
  };

export type SvcExplainedFlag = SvcSettled &
  SvcExplained & {
    readonly key: string | null;
    /** Excerpt of the value; null where nothing is decided. */
    readonly value: SvcJson;
    readonly reason: 'on' | 'paused' | 'dark' | 'targeting' | 'rollout' | null;
  };

/** Why this visitor gets what on this page, in the order of the config. */
export interface SvcExplanation {
  readonly experiments: readonly SvcExplainedExperiment[];
  readonly personalizations: readonly SvcExplainedPersonalization[];
  readonly flags: readonly SvcExplainedFlag[];
}

/** What an event of this name carries. */
export type SvcEventData<Name extends string> = Name extends 'order'
  ? [data: SvcOrder]
  : Name extends 'refund'
    ? [data: SvcRefund]
    : [data?: SvcData];

/** A part of a page that was changed, or was to be. */
export interface SvcTreatment {
  readonly experimentId: string;
  readonly variationId: string;
  /** `waiting` for its scripts, or `dropped`: taken off the page because it failed or was late. */
  readonly state: 'applied' | 'waiting' | 'dropped';
  readonly css: boolean;
  readonly script: boolean;
  /** Files of it that have not loaded. */
  readonly missingFiles: number;
  readonly mutations: readonly {
    readonly selector: string;
    readonly action: string;
    /** Elements that have it now. */
    readonly elements: number;
    /** How often it was applied, with reapplications. */
    readonly times: number;
    /** Unix milliseconds; null if it was never applied, and on pages without `svc_qa=1`. */
    readonly firstAt: number | null;
    readonly lastAt: number | null;
  }[];
}

export interface SvcFinding {
  /** Blocked by a policy of the page, failed with an error, late, or a selector that matches nothing. */
  readonly kind: 'blocked' | 'failed' | 'late' | 'missing';
  /** Unix milliseconds. */
  readonly at: number;
  /** Id of the experiment; empty for the page. */
  readonly about: string;
  readonly message: string;
}

/** Everything that is known of this page. */
export interface SvcDebug {
  /** Unix milliseconds. */
  readonly at: number;
  readonly url: string;
  /** Nothing is decided for a `bot`, or before `consent`. */
  readonly state: 'decided' | 'bot' | 'consent';
  readonly environment?: string;
  readonly surface: string;
  readonly cohort: 'active' | 'holdout' | null;
  readonly visitor: {
    readonly id: string;
    readonly customerId: string | null;
    readonly session: string | null;
    readonly attributes: { readonly [name: string]: unknown };
  };
  /** Forced variations by experiment. */
  readonly forcedBy: { readonly [experimentId: string]: string | number };
  readonly explanation: SvcExplanation;
  /** As it would be if nothing were forced, and a draft had its own targeting. */
  readonly unforced: SvcExplanation;
  readonly treatments: readonly SvcTreatment[];
  readonly events: readonly {
    readonly type: string;
    readonly eventId: string;
    readonly at: number;
    readonly experimentId?: string;
    readonly variationId?: string;
    readonly data: { readonly [name: string]: unknown };
    readonly qa: boolean;
    /** `sent` without an answer: by beacon as the page was left, or the answer is awaited. */
    readonly delivery: {
      readonly state: 'queued' | 'sent' | 'answered' | 'unknown';
      readonly at?: number;
      readonly by?: 'fetch' | 'beacon';
      readonly status?: number;
    };
  }[];
  readonly findings: readonly SvcFinding[];
}

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
  /**
   * Calls back with what has happened on this page and with what happens next, in its order. The result ends it.
   */
  on<Name extends keyof SvcNotices>(name: Name, fn: (detail: SvcNotices[Name]) => void): () => void;
  /** Puts this page into a variation, by id or position, to look at it: from now on its events count nowhere. */
  force(experimentId: string, variation: string | number): void;
  /** Without a variation the experiment decides again, without an experiment all do. */
  force(experimentId?: string): void;
  /**
   * Why this visitor gets what on this page. Loads the tool for it, except on pages with `svc_qa=1`; undefined if it
   * cannot be loaded.
   */
  explain(): Promise<SvcExplanation | undefined>;
  /** The same with what was applied, which events were sent, and what went wrong. */
  debug(): Promise<SvcDebug | undefined>;
  /** On pages with `svc_qa=1` and previews only. */
  readonly preview?: {
    /** Leaves the preview or the QA visit: the page loads again, as shoppers see it. */
    end(): void;
  };
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
