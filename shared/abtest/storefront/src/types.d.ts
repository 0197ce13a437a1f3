// The shapes of docs/data-model.md as the browser sees them. Types only: nothing here reaches the bundle.

/** Source text in `/api/exp`, index into the snippet's array of functions in the snippet. */
export type Script = string | number;

/** The text, or in the snippet the name of a chunk. */
export type Css = string | { chunk: string };

/** A compiled URL rule: a test on the whole address, or one anchored source for each part. */
export interface UrlRule {
  re?: string;
  host?: string;
  path?: string;
  query?: [string, string][];
  hash?: string;
}

/** Section 2.2: operators and dotted paths, over JSON. */
export type Condition = Record<string, any>;

/** Lists that conditions ask for by id. */
export type Groups = Record<string, unknown[]>;

export interface PageRule {
  include?: UrlRule[];
  exclude?: UrlRule[];
  when?: Condition;
  /** `dom_ready`, `element:<selector>`, `event:<name>`, `delay:<milliseconds>`. */
  trigger?: string;
}

export interface Combined<T> {
  mode?: 'any' | 'all';
  in?: T[];
  out?: T[];
}

export type Pages = Combined<PageRule>;
export type Audience = Combined<Condition>;

export interface Dark {
  days: string[];
  zone: string;
}

/** For whom and where anything is delivered; absent means no restriction. */
export interface Targeted {
  pages?: Pages;
  audience?: Audience;
  dark?: Dark;
}

export type Action = 'text' | 'html' | 'style' | 'attribute' | 'remove' | 'insertBefore' | 'insertAfter';

export interface Mutation {
  selector: string;
  action: Action;
  /** Bits: the selector depends on an element's place among its siblings (1), on all of them (2), on other content (4);
   * it may leave a bracket or text open (8). */
  kind?: number;
  /** One of these, as the action needs it. */
  text: string;
  html: string;
  styles: Record<string, string>;
  attributes: Record<string, string | null>;
}

/** What a variation does to a page; a URL block has the same fields and takes their place. */
export interface Content {
  mutations?: Mutation[];
  css?: Css;
  js?: Script;
  /** Selectors that are not seen before the treatment stands. */
  hide?: string[];
}

export interface Block extends Content {
  rules: PageRule;
}

export interface Variation extends Content {
  id: string;
  name: string;
  control?: true;
  range: [number, number];
  blocks?: Block[];
  redirect_url?: string;
}

export interface GoalCapture {
  property: string;
  source: 'attribute' | 'textContent' | 'dataset';
  attribute?: string;
}

export interface Goal {
  id: string;
  type: 'click' | 'pageview' | 'custom' | 'revenue';
  once?: boolean;
  event?: string;
  selector?: string;
  text?: string;
  url?: UrlRule;
  pages?: PageRule;
  capture?: GoalCapture[];
}

export interface Experiment extends Targeted {
  id: string;
  name: string;
  type: 'mutation' | 'redirect';
  epoch: number;
  state: number;
  surface?: string;
  group?: { id: string; epoch: number; state: number; ranges: [number, number][] };
  identity?: 'customer';
  css?: Css;
  js?: Script;
  reset_js?: Script;
  variations: Variation[];
  goals?: Goal[];
}

export interface Experience extends Content {
  id: string;
  key: string;
  name: string;
  value?: unknown;
  reset_js?: Script;
  profile?: string;
}

export interface Personalization extends Targeted {
  id: string;
  key: string;
  name: string;
  type: 'visual' | 'api' | 'recommendation';
  surface: string;
  state: number;
  below: number;
  rules?: { experience: string; pages?: Pages; audience?: Audience }[];
  experiences: Experience[];
  goals?: Goal[];
}

export interface Flag extends Targeted {
  id: string;
  key: string;
  state: number;
  below: number;
  on: unknown;
  off: unknown;
  paused?: true;
}

/** Sections 1 and 1.1; the parts `consent`, `handover` and `environments` read theirs. */
export interface Runtime {
  environment?: string;
  currency?: string;
  events_url: string;
  events_signature: string;
  consent?: { read: Script; events: string[]; group?: string };
  handover?: { param: string; domains: string[]; timeout: number; ttl: number; signed: boolean; url: string };
  environments?: { key: string; domains: string[] }[];
  assets_url?: string;
  /** Hosts of the shop whose sub-domains share the visitor's cookie. */
  domains?: string[];
}

/** Customers' functions, and names of chunks. */
export type Scripts = (Function | string | undefined)[];

export interface Config {
  shop_id: string;
  runtime: Runtime;
  signals?: { triggers?: any[] };
  zones?: string[];
  holdout?: { state: number; below: number; epoch: number };
  experiments: Experiment[];
  personalizations?: Personalization[];
  flags?: Flag[];
}

/** Where a page tells of an order: a data layer and the names of its events, or an object; then paths, tried in turn. */
export interface OrderSource {
  layer?: string;
  events?: string[];
  object?: string;
  id: string[];
  revenue: string[];
  currency: string[];
}

/** What the pixel of an external domain knows. */
export interface PixelConfig extends Config {
  pixel: { name: string; orders: OrderSource[] };
}

/** Variations by experiment id, each an id or a decimal index. */
export type Force = Record<string, string | number>;

export interface Visitor {
  id?: string;
  customer_id?: string;
  attributes?: Record<string, unknown>;
  /** Variation ids by seed. */
  sticky?: Record<string, string>;
  surface?: string;
  /** Whether it has fired on this page view; is told what is waited for. */
  fired?(trigger: string): boolean;
}

/** What is known when it is decided. */
export interface Facts {
  visitor: Visitor;
  /** Who is hashed: empty for nobody. */
  unit: string;
  held: boolean;
  /** Absent where it is none that a browser could be on. */
  address?: Address;
  now: number;
  force?: Force;
  zones?: string[];
  /** Put together when first asked for, by the part that asks. */
  attributes?: Record<string, unknown>;
}

export interface Decision {
  experiment: Pick<Experiment, 'id' | 'epoch' | 'state' | 'css' | 'js' | 'reset_js' | 'goals' | 'type'>;
  variation: Pick<Variation, 'id' | 'control' | 'blocks' | 'redirect_url'> & Content;
  /** Position of the variation in its experiment. */
  index: number;
  forced?: boolean;
  /** The variation was kept from an earlier decision. */
  sticky?: boolean;
  /** The customer's id was hashed. */
  hashed?: boolean;
  /** The visitor sees the variation here; otherwise it only attributes goals. */
  active: boolean;
}

/** A mutation at work. */
export interface Rule {
  _mutation: Mutation;
  /** Names what it puts into the document. */
  _mark: string;
  /** No longer applied to new content. */
  _isRetired: boolean;
  _applied: import('./actions.js').Applied[];
}

/** What a decision does to a page, at work. */
export interface Treatment {
  _key: string;
  _decision: Decision;
  _content: Content;
  _rules: Rule[];
  /** Each takes one of the treatment's style sheets away. */
  _sheets: (() => void)[];
  _ran?: boolean;
  /** It does not stand at once, and counts when it does. */
  _waits?: boolean;
  /** Given up for this page view. */
  _dropped?: boolean;
  /** Chunks under way. */
  _missing: number;
  /** It is to stand by then. */
  _until?: number;
  /** Shows what is hidden. */
  _reveal?(): void;
}

export interface Placement {
  personalization: Personalization;
  experience: Experience;
  shown: boolean;
}

export interface Decided {
  cohort: 'active' | 'holdout' | null;
  assignments: Decision[];
  personalizations: Placement[];
  flags: Record<string, { value: unknown; reason: string }>;
  facts: Facts;
}

/** Any address: `location`, or a `URL`. */
export interface Address {
  href: string;
  origin: string;
  host: string;
  pathname: string;
  search: string;
  hash: string;
}

export type Data = Record<string, unknown>;

export interface SdkEvent {
  type: string;
  eventId: string;
  shopId: string;
  visitorId: string;
  sessionId: string;
  ts: number;
  url?: string;
  qa_mode?: true;
  experimentId?: string;
  variationId?: string;
  assignment_epoch?: number;
  data: Data;
}

/** Wraps a function so that it cannot throw: what it throws is reported as happening in `about`. */
export type Guard = <A extends unknown[]>(
  about: string,
  fn: (...args: A) => unknown,
  decision?: Decision,
) => (...args: A) => void;

export type Assignment = import('../svc').SvcAssignment;

/** `window.svc` as we see it: what pages hand over is what it is. `Svc` of svc.d.ts is what it is to shops. */
export interface Api {
  track(name: string, data?: any): void;
  set(data: any): void;
  flag(key: string, fallback?: any): any;
  personalization(key: string): any;
  assignments(): Assignment[];
  visitorId(): string;
  cart(): Record<string, string>;
  ready(fn: (api: any) => void): void;
  force(experimentId?: string, variation?: string | number): void;
  consent(granted: boolean): void;
  chunk(name: string, fn: () => void): void;
}

/**
 * What the parts (parts.json) put in for the core to call. Each is absent where its part has been cut out, so that the
 * core calls it either where the config calls for the part (`config.flags && parts._flags(…)`), or with `?.`.
 */
export interface Parts {
  /** exclusion: on which side of the holdout, and whether in a group's share */
  _isHeld(holdout: NonNullable<Config['holdout']>, unit: string): boolean;
  _cohortOf(facts: Facts): 'active' | 'holdout' | null;
  _isInShare(group: NonNullable<Experiment['group']>, unit: string): boolean;
  /** exclusion: what a page view tells where there is a cohort */
  _withCohort(data: Data): Data | null | undefined;
  /** parsing: a config that is a text */
  _parse(text: string): Config;
  /** weekdays */
  _isDark(dark: Dark, now: number): boolean;
  /** audiences */
  _describes(condition: Condition, facts: Facts): boolean;
  /** audiences: the page has been opened */
  _land(): void;
  /** audiences: a page view begins */
  _arrive(): void;
  _attributes(given: Data): Data;
  /** triggers: set up, begun anew before it is decided, looked out for after it was */
  _startTriggers(): void;
  _beginTriggers(isView: boolean): void;
  _watchTriggers(): void;
  _fired(trigger: string): boolean;
  /** triggers: whether it has, as the visitor of these facts is told */
  _hasFired(trigger: string, facts: Facts): boolean;
  /** triggers: the page has told of an event */
  _note(name: string): void;
  _dataLayer(): object;
  /** clicks, views: goals that a page itself can see */
  _startClicks(): void;
  _countPageview(): void;
  /** captures */
  _hasText(element: Element, wanted: string): boolean;
  _captured(captures: GoalCapture[], element: any): Data;
  /** addresses: a rule that is an expression, and whether a query is as asked for */
  _finding(source: string): (address: Address) => boolean;
  _asks(query: [string, string][], search: string): boolean;
  /** blocks */
  _blockIndexOf(variation: Pick<Variation, 'blocks'>, facts: Facts): number;
  _blockAt(variation: Pick<Variation, 'blocks'>, index: number): Content | undefined;
  /** mutations */
  _startMutations(): void;
  _addRules(treatment: Treatment): void;
  /** mutations: it has been decided anew, and may be for another address, whose page is then waited for */
  _leave(leaving: Treatment[], isNew?: unknown): void;
  /** mutations: the timer that runs so long */
  _awaited: number;
  _watch(): void;
  _retire(rules: Rule[]): void;
  _undo(rules: Rule[]): void;
  /** positions: whether something of the rule stands under the element's parent, or it is too early to tell */
  _isTaken(rule: Rule, element: Element): boolean;
  _takePlace(rule: Rule, element: Element): void;
  /** content: the document is parsed */
  _removeStoppers(): void;
  /** insertion: whether something of the rule stands beside the element */
  _isServed(rule: Rule, element: any): boolean;
  /** insertion: takes away what is marked so */
  _sweep(mark: string): void;
  /** scripts: those of a treatment, and those that reset what is not active any longer */
  _runScripts(treatment: Treatment): void;
  _resetScripts(active: Treatment[]): void;
  /** dropping: a page view begins */
  _beginView(): void;
  /** dropping: whether the treatment has begun too often to begin again */
  _flaps(treatment: Treatment): boolean;
  /** dropping: whether the page view does not count as an exposure, or not yet */
  _isAwaited(decision: Decision): boolean;
  /** css */
  _addSheet(treatment: Treatment, css: Css): void;
  _removeSheets(sheets: (() => void)[]): void;
  /** redirect: undefined where the page is being left, else the decisions whose content belongs here */
  _redirect(active: Decision[], href: string): Decision[] | undefined;
  /** personalizations */
  _personalizations(personalizations: Personalization[], facts: Facts): Placement[];
  _withPlacements(decided: Decided): Decision[];
  _valueOf(key: string): unknown;
  /** flags */
  _flags(flags: Flag[], facts: Facts): Decided['flags'];
  _flagOf(key: string, fallback: unknown): unknown;
  /** environments: whether another environment's snippet has been asked for and this one does nothing */
  _environments(): boolean;
  /** consent: `begin` once it is given, `end` when it is taken back; both may be called again and again */
  _consent(begin: () => void, end: () => void): void;
  /** consent: `svc.consent(granted)` */
  _consented(granted: boolean): void;
  /** handover: takes its parameter off the address; what it gives is to be called to begin, and leads to `next` */
  _handover(next: () => void): () => void;
  /** signals: data-layer triggers, set up once the page has begun */
  _signals(): void;
  /** signals: makes attributes that were kept for later pages to be had */
  _kept(attributes: Data, given: Data): void;
  /** adopting: makes the visitor the one who was handed over, if any */
  _adopt(): void;
  /** checkout: takes up a cart's visitor, where the page hands one back */
  _checkout(given: Data): void;
  /** checkout: `svc.cart()` */
  _cart(): Record<string, string>;
  /** sharing: finds the domain that the cookie is kept for */
  _share(): void;
  /** sharing: the cookie's fields, from the one cookie that there is then */
  _readShared(): string[];
  _written(value: string): void;
  /** waiting: a treatment that cannot stand at once is given some time */
  _wait(treatment: Treatment): void;
  _isLate(treatment: Treatment): boolean;
  _reveal(treatment: Treatment): void;
  /** chunks */
  _needsChunks(treatment: Treatment): boolean;
  _loadScripts(treatment: Treatment): void;
  _placeSheet(treatment: Treatment, css: { chunk: string }): void;
  /** chunks: `svc.chunk(name, fn)` */
  _chunk(name: string, fn: () => void): void;
}

export interface TrustedPolicy {
  createHTML(html: string): string;
  createScriptURL(url: string): string;
}

declare global {
  interface Window {
    trustedTypes?: {
      createPolicy(name: string, rules: TrustedPolicy): TrustedPolicy;
    };
  }
}
