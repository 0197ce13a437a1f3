// Types of docs/data-model.md as the browser sees them; nothing here reaches the bundle.

/** Source text in `/api/exp`; in the snippet, index into its array of functions. */
export type Script = string | number;

/** The text; in the snippet possibly the name of a chunk. */
export type Css = string | { chunk: string };

/** Compiled URL rule: an expression for the whole address, or one anchored source per part. */
export interface UrlRule {
  re?: string;
  host?: string;
  path?: string;
  query?: [string, string][];
  hash?: string;
}

/** Section 2.2: operators and dotted paths, over JSON. */
export type Condition = Record<string, any>;

/** Lists by id, for conditions. */
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

/** Targeting; an absent property means no restriction. */
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
  /** The value; each action uses one of these. */
  text: string;
  html: string;
  styles: Record<string, string>;
  attributes: Record<string, string | null>;
}

/** Changes that a variation makes to a page. A URL block has the same fields and replaces them. */
export interface Content {
  mutations?: Mutation[];
  css?: Css;
  js?: Script;
  /** Selectors hidden until the treatment's scripts have run. */
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
  /** A landing page shows it: decided by the server, and by the mark of the page. */
  served?: true;
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

/** The shop's own analytics. */
export type Destination = 'ga4' | 'segment';

/** Sections 1 and 1.1. `consent`, `handover` and `environments` are for the parts of these names. */
export interface Runtime {
  environment?: string;
  currency?: string;
  events_url: string;
  events_signature: string;
  consent?: { read: Script; events: string[]; group?: string };
  handover?: { param: string; domains: string[]; timeout: number; ttl: number; signed: boolean; url: string };
  environments?: { key: string; domains: string[] }[];
  assets_url?: string;
  /** Domains of the shop whose subdomains share the visitor's cookie. */
  domains?: string[];
  /** Tools on the page that exposures are passed on to. */
  exposures?: Destination[];
  /** People look at the page before visitors do. */
  preview?: boolean;
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
  /** Ids of experiments, variations and goals, in snippets where these have none. */
  ids?: string;
}

/** Where a page publishes orders: a data layer with event names, or an object; then paths, tried in order. */
export interface OrderSource {
  layer?: string;
  events?: string[];
  object?: string;
  id: string[];
  revenue: string[];
  currency: string[];
}

/** Config of the pixel for an external domain. */
export interface PixelConfig extends Config {
  pixel: { name: string; orders: OrderSource[] };
}

/** Forced variations by experiment id, each an id or a decimal index. */
export type Force = Record<string, string | number>;

export interface Visitor {
  id?: string;
  customer_id?: string;
  attributes?: Record<string, unknown>;
  /** Variation ids by seed. */
  sticky?: Record<string, string>;
  surface?: string;
  /** Return whether the trigger has fired in this page view; a trigger that has not is watched from then on. */
  fired?(trigger: string): boolean;
  /** Variation ids by experiment that the page was sent with. */
  served?: Record<string, string>;
}

/** Inputs of a decision. */
export interface Facts {
  visitor: Visitor;
  /** The id that is hashed; empty if there is none. */
  unit: string;
  held: boolean;
  /** Absent if the address is not one that a browser could visit. */
  address?: Address;
  now: number;
  force?: Force;
  zones?: string[];
  /** Computed by the audiences part on first use. */
  attributes?: Record<string, unknown>;
}

export interface Decision {
  experiment: Pick<Experiment, 'id' | 'epoch' | 'state' | 'css' | 'js' | 'reset_js' | 'goals' | 'type'> & {
    variations?: Content[];
  };
  variation: Pick<Variation, 'id' | 'control' | 'blocks' | 'redirect_url'> & Content;
  /** Index of the variation in its experiment. */
  index: number;
  forced?: boolean;
  /** The variation was kept from an earlier decision. */
  sticky?: boolean;
  /** The customer's id was hashed. */
  hashed?: boolean;
  /** The visitor sees the variation here; otherwise it only attributes goals. */
  active: boolean;
}

/** An active mutation. */
export interface Rule {
  _decision: Decision;
  _mutation: Mutation;
  /** Label of the nodes that it inserts. */
  _mark: string;
  /** No longer applied to new content. */
  _isRetired: boolean;
  _applied: import('./actions.js').Applied[];
}

/** Active effect of a decision on a page. */
export interface Treatment {
  _key: string;
  _decision: Decision;
  _content: Content;
  _rules: Rule[];
  /** Each removes one of the treatment's style sheets. */
  _sheets: (() => void)[];
  _ran?: boolean;
  /** It waits for a script or chunk; the exposure is counted when its scripts run. */
  _waits?: boolean;
  /** Dropped for this page view. */
  _dropped?: boolean;
  /** Chunks still loading. */
  _missing: number;
  /** Deadline in Unix milliseconds. */
  _until?: number;
  /** Shows the hidden elements. */
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

/** An address: `location`, or a `URL`. */
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

/** Wrap a function so that it cannot throw: errors are reported with `about` as their source. */
export type Guard = <A extends unknown[]>(
  about: string,
  fn: (...args: A) => unknown,
  decision?: Decision,
) => (...args: A) => void;

export type Assignment = import('../svc').SvcAssignment;

/** `window.svc` inside the SDK, where arguments may be anything. `Svc` in svc.d.ts is the type for shops. */
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
  on(name: string, fn: (detail: any) => void): () => void;
  explain(): Promise<any>;
  debug(): Promise<any>;
  chunk(name: string, fn: () => void): void;
}

/**
 * Functions that the parts (parts.json) register for the core. A part cut from the snippet has none, so the core calls
 * them where the config needs the part (`config.flags && parts._flags(…)`), or with `?.`.
 */
export interface Parts {
  /** exclusion: holdout and exclusion groups */
  _isHeld(holdout: NonNullable<Config['holdout']>, unit: string): boolean;
  _cohortOf(facts: Facts): 'active' | 'holdout' | null;
  _isInShare(group: NonNullable<Experiment['group']>, unit: string): boolean;
  /** exclusion: data of a page view with the cohort, undefined before the first decision, null in forced visits */
  _withCohort(data: Data): Data | null | undefined;
  /** parsing: parses a config given as a string */
  _parse(text: string): Config;
  /** ids: puts ids back */
  _name(config: Config): void;
  /** weekdays */
  _isDark(dark: Dark, now: number): boolean;
  /** audiences */
  _describes(condition: Condition, facts: Facts): boolean;
  /** audiences: a page has loaded */
  _land(): void;
  /** audiences: a page view begins */
  _arrive(): void;
  _attributes(given: Data): Data;
  /** triggers: set up once; reset before each decision; watched after it */
  _startTriggers(): void;
  _beginTriggers(isView: boolean): void;
  _watchTriggers(): void;
  _fired(trigger: string): boolean;
  /** triggers: the same, through the visitor of these facts */
  _hasFired(trigger: string, facts: Facts): boolean;
  /** triggers: records an event of the page */
  _note(name: string): void;
  _dataLayer(): object;
  /** clicks, views: goals that the browser detects */
  _startClicks(): void;
  _countPageview(): void;
  /** captures */
  _hasText(element: Element, text: string): boolean;
  _captured(captures: GoalCapture[], element: any): Data;
  /** addresses: whether an expression, or a query, matches the address */
  _finds(source: string, address: Address): boolean;
  _asks(query: [string, string][], search: string): boolean;
  /** blocks */
  _blockIndexOf(variation: Pick<Variation, 'blocks'>, facts: Facts): number;
  _blockAt(variation: Pick<Variation, 'blocks'>, index: number): Content | undefined;
  /** mutations */
  _startMutations(): void;
  _addRules(treatment: Treatment): void;
  /** mutations: treatments end; with `isNew` the page of a new address has yet to render */
  _leave(leaving: Treatment[], isNew?: unknown): void;
  /** mutations: timer of the wait for the page to render, 0 if none */
  _awaited: number;
  _watch(): void;
  _retire(rules: Rule[]): void;
  _undo(rules: Rule[]): void;
  /** selectors: throws for a selector that no other can follow in a list */
  _refuseOpen(mutation: Mutation): void;
  /** breadth: whether the whole document is searched for the rule */
  _isWide(rule: Rule, isParsed: boolean): boolean;
  /** positions: whether the rule is applied under the element's parent, or the parent is not complete */
  _isTaken(rule: Rule, element: Element): boolean;
  _takePlace(rule: Rule, element: Element): void;
  /** trusted: makes the policy for markup, or throws */
  _trust(): void;
  /** content: the document is parsed */
  _removeStoppers(): void;
  /** insertion: whether the rule is applied next to the element */
  _isServed(rule: Rule, element: any): boolean;
  /** insertion: removes the nodes with this mark */
  _sweep(mark: string): void;
  /** scripts: run a treatment's scripts; run reset scripts of experiments that are not active any longer */
  _runScripts(treatment: Treatment): void;
  _resetScripts(active: Treatment[]): void;
  /** scripts: whether the exposure waits for scripts */
  _awaitScripts(treatment: Treatment): void;
  /** dropping: a page view begins */
  _beginView(): void;
  /** dropping: counts a start; whether the treatment is dropped because it started too often */
  _flaps(treatment: Treatment): boolean;
  /** dropping: counts the exposures of treatments that have waited for their scripts */
  _countRuns(ran: Treatment[]): void;
  /** css */
  _addSheet(treatment: Treatment, css: Css): void;
  _removeSheets(sheets: (() => void)[]): void;
  /** redirect: undefined if the page is being left, else the decisions with content for this page */
  _redirect(active: Decision[], href: string): Decision[] | undefined;
  /** personalizations */
  _personalizations(personalizations: Personalization[], facts: Facts): Placement[];
  _withPlacements(decided: Decided): Decision[];
  _valueOf(key: string): unknown;
  /** flags */
  _flags(flags: Flag[], facts: Facts): Decided['flags'];
  _flagOf(key: string, fallback: unknown): unknown;
  /** environments: whether another environment's snippet loads, so that this one does nothing */
  _environments(): boolean;
  /** consent: calls `begin` when it is granted and `end` when it is withdrawn, each possibly several times */
  _consent(begin: () => void, end: () => void): void;
  /** consent: `svc.consent(granted)` */
  _consented(granted: boolean): void;
  /** handover: removes its parameter from the address; call the result to begin, it then calls `next` */
  _handover(next: () => void): () => void;
  /** signals: starts data-layer triggers */
  _signals(): void;
  /** signals: makes attributes readable that earlier pages stored */
  _kept(attributes: Data, given: Data): void;
  /** adopting: switches to the visitor who was handed over, if any */
  _adopt(): void;
  /** checkout: adopts the visitor of the page's cart attributes, if any */
  _checkout(given: Data): void;
  /** checkout: `svc.cart()` */
  _cart(): Record<string, string> | '';
  /** sharing: sets the domain of the cookie */
  _share(): void;
  /** sharing: the cookie's fields, after deleting a duplicate cookie of this host */
  _readShared(): string[];
  _written(value: string): void;
  /** served: variations that the page is marked with; decides by them; removes an earlier sticky assignment */
  _served(): Record<string, string>;
  _serve(decided: Decided, experiments: Experiment[]): void;
  _dropKept(experiment: Decision['experiment']): void;
  /** preview: begins one, and returns a store in place of the cookie; nothing is counted */
  _preview(): { cookie: string; referrer: string } | undefined;
  _isUncounted(): boolean | undefined;
  /** preview: address of a page that the proxy shows; goes to another one inside of the preview, if it can */
  _href(): string;
  _address(): URL | undefined;
  _leaveFor(destination: string): boolean | undefined;
  /** destinations: passes exposures on to the tools of these names */
  _passOn(names: Destination[]): void;
  /** recorder: whether this is the tool */
  _isTool(): boolean;
  /** recorder: an action was applied; events were sent, and answered */
  _noteApplied(rule: Rule): void;
  _noteSent(texts: string[], by: 'fetch' | 'beacon'): void;
  _noteAnswered(texts: string[], status: number): void;
  /** waiting: starts the time limit of a treatment that cannot apply at once */
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
    /** Set by the bridge of the preview proxy. */
    __svcPreview?: { url(): string; go(address: string, replaces?: boolean): boolean };
    trustedTypes?: {
      createPolicy(name: string, rules: TrustedPolicy): TrustedPolicy;
    };
  }
}
