// The shapes of docs/data-model.md as the browser sees them. Types only: nothing here reaches the bundle.

/** Source text in `/api/exp`, index into the snippet's array of functions in the snippet. */
export type Script = string | number;

/** A compiled URL rule: a test on the whole address, or one anchored source for each part. */
export interface UrlRule {
  re?: string;
  host?: string;
  path?: string;
  query?: [string, string][];
  hash?: string;
}

export interface PageRule {
  include?: UrlRule[];
  exclude?: UrlRule[];
}

export interface Pages {
  mode?: 'any' | 'all';
  in?: PageRule[];
  out?: PageRule[];
}

export type Action = 'text' | 'html' | 'style' | 'attribute' | 'remove' | 'insertBefore' | 'insertAfter';

export interface Mutation {
  selector: string;
  action: Action;
  text?: string;
  html?: string;
  styles?: Record<string, string>;
  attributes?: Record<string, string | null>;
}

/** What a variation does to a page; a URL block has the same fields and takes their place. */
export interface Content {
  mutations?: Mutation[];
  css?: string;
  js?: Script;
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

export interface Experiment {
  id: string;
  name: string;
  type: 'mutation' | 'redirect';
  epoch: number;
  state: number;
  pages?: Pages;
  css?: string;
  js?: Script;
  reset_js?: Script;
  variations: Variation[];
  goals?: Goal[];
}

export interface Config {
  shop_id: string;
  runtime: { environment?: string; currency?: string; events_url: string; events_signature: string };
  experiments: Experiment[];
}

/** What a page's address asks for: a flagged visit, and possibly a variation of one experiment. */
export interface Force {
  qa: boolean;
  experimentId: string | null;
  variationId: string | null;
}

export interface Decision {
  experiment: Experiment;
  variation: Variation;
  /** Position of the variation in its experiment. */
  index: number;
  forced: boolean;
  /** The page rules hold here, so that the visitor sees the variation. */
  active: boolean;
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

export type Emit = (type: string, data: Data, decision?: Decision, eventId?: string) => void;

/** Wraps a function so that it cannot throw: what it throws is reported as happening in `about`. */
export type Guard = <A extends unknown[]>(
  about: string,
  fn: (...args: A) => unknown,
  decision?: Decision,
) => (...args: A) => void;

export interface Assignment {
  experimentId: string;
  variationId: string;
  variationIndex: number;
  epoch: number;
}

export interface Api {
  track(name: string, data?: Data): void;
  assignments(): Assignment[];
  visitorId(): string;
  ready(fn: (api: Api) => void): void;
}

declare global {
  interface Window {
    svc?: Api;
    trustedTypes?: {
      createPolicy(
        name: string,
        rules: { createHTML(html: string): string },
      ): { createHTML(html: string): string };
    };
  }
}
