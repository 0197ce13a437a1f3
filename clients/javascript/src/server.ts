// For the server that renders a shop's pages: the visitor of a request, and what the assignment route decides for it.

import { isBot } from './bots.js';
import type { Bootstrap } from './bootstrap.js';
import type { SvcAssignment, SvcAttributes, SvcJson } from './svc.js';

export type { Bootstrap } from './bootstrap.js';

const COOKIE = 'svc_v';
const KEEP_SECONDS = 400 * 24 * 3600;
const TIMEOUT_MS = 500;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The visitor's cookie, as the snippet reads it (`src/visit.js`): the id, then fields, `SEEN` is when it was written. */
const FORM = /^([\w-]{16,64}(?:\.\w{1,32}(?:\.[~\w-]*){9})?)(?=\.|$)/;
const SEEN = 6;

/** What is known of a request for a page. */
export interface PageRequest {
  /** The address that the browser shows, absolute. */
  readonly url: string;
  /** The request's `Cookie` header. */
  readonly cookie?: string | null | undefined;
  /** The request's `User-Agent` header: bots get no cookie and no assignments, as in the snippet. */
  readonly userAgent?: string | null | undefined;
}

/** A cookie for a new visitor. Pages must be able to read it: it is never HttpOnly. */
export interface NewVisitor {
  readonly name: string;
  readonly value: string;
  /** Value of a `Set-Cookie` header. */
  readonly header: string;
}

export interface AssignOptions extends PageRequest {
  /** Address of the edge, such as `https://edge.example`. */
  readonly edge: string;
  /** Key of the kind `tracking_source`. It is a secret: only servers have it. */
  readonly key: string;
  /** The new visitor of this request, whose cookie is not in `cookie` yet. */
  readonly visitor?: NewVisitor | undefined;
  /** The logged-in customer. The page gives the same one to the snippet: `window.svc = {customer_id: …}`. */
  readonly customerId?: string | undefined;
  /** What audiences ask for and only you know; the page gives the same to the snippet. */
  readonly attributes?: SvcAttributes | undefined;
  /** Key of an environment; without one, the active environment. */
  readonly environment?: string | undefined;
  /** `checkout` for pages whose tag has `data-surface="checkout"`; only experiments of that surface are decided there. */
  readonly surface?: string | undefined;
  /** Only these experiments; all without. */
  readonly experimentIds?: readonly string[] | undefined;
  /** Time limit in milliseconds, 500 without one: no page waits longer for its assignments. */
  readonly timeoutMs?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/** An assignment as the route returns it. */
export interface ServerAssignment {
  readonly experiment_id: string;
  readonly variation_id: string;
  readonly variation_index: number;
  readonly assignment_epoch: number | null;
  readonly is_control: boolean;
  readonly is_sticky?: boolean;
  /** True for an assignment that is not shown at this address, and only attributes goals. */
  readonly attributable_only?: boolean;
  readonly redirect_url: string | null;
  readonly [field: string]: SvcJson | undefined;
}

/** The route's answer (`POST /assign` of the API reference). It may contain a secret: do not send it to browsers. */
export interface ServerAnswer {
  readonly user_id: string | null;
  readonly assignments: readonly ServerAssignment[];
  readonly flags?: Readonly<Record<string, SvcJson>>;
  readonly personalizations?: Readonly<Record<string, SvcJson>>;
  readonly [field: string]: unknown;
}

export interface Assigned {
  /** For `StorefrontProvider`, on the server and in the browser; empty if nothing was decided. */
  readonly bootstrap: Bootstrap;
  /** The whole answer; absent for bots, for visitors without an id, and after an error. */
  readonly answer?: ServerAnswer;
  /** Reason of a request that failed. */
  readonly error?: Error;
}

/** Return the visitor's cookie among the request's; of several, the one written last. */
const visitIn = (header: string | null | undefined): string | undefined => {
  let latest: string[] | undefined;
  for (const pair of (header ?? '').split(';')) {
    const [name, value = ''] = pair.trim().split('=', 2);
    const fields = name === COOKIE ? FORM.exec(value)?.[1]?.split('.') : undefined;
    if (fields && (fields[SEEN] ?? '') >= (latest?.[SEEN] ?? '')) latest = fields;
  }
  return latest?.join('.');
};

/** Return variations that the address forces for a QA visit, and whether it is one, as the snippet reads them. */
const forcedBy = (url: string): { isFlagged: boolean; force: Record<string, string> } => {
  const query = new URL(url).searchParams;
  const param = (name: string): string => query.get(`svc_${name}`) ?? '';
  const isQa = param('qa') === '1';
  const pairs = `${param('force')}${isQa ? `,${param('experiment_id')}:${param('variation_id')}` : ''}`.split(',');
  const named = pairs.map((pair) => pair.split(':')).filter(([id, variation]) => id && variation);
  const force = Object.fromEntries(named.filter(([id]) => UUID.test(id as string)));
  return { isFlagged: isQa || named.length > 0, force };
};

const isUncounted = ({ url, userAgent }: PageRequest): boolean =>
  !!userAgent && isBot({ userAgent }) && !forcedBy(url).isFlagged;

/**
 * Make a visitor for a request without one; undefined if it has one, for bots, and if the shop asks for consent: then
 * only the snippet may set the cookie, after consent. The browser continues with this visitor.
 */
export const newVisitor = (request: PageRequest & { readonly consentMode: boolean }): NewVisitor | undefined => {
  if (request.consentMode || visitIn(request.cookie) || isUncounted(request)) return undefined;
  const value = crypto.randomUUID().replaceAll('-', '');
  const secure = request.url.startsWith('https:') ? '; Secure' : '';
  return {
    name: COOKIE,
    value,
    header: `${COOKIE}=${value}; Path=/; Max-Age=${KEEP_SECONDS}; SameSite=Lax${secure}`,
  };
};

/** Return what hooks need of an answer: the variations that are shown, and the values. */
export const bootstrapOf = ({ assignments, flags = {}, personalizations = {} }: ServerAnswer): Bootstrap => ({
  flags,
  personalizations,
  assignments: assignments
    .filter((each) => !each.attributable_only)
    .map(
      (each): SvcAssignment => ({
        experimentId: each.experiment_id,
        variationId: each.variation_id,
        variationIndex: each.variation_index,
        epoch: each.assignment_epoch ?? 1,
      }),
    ),
});

const post = async (options: AssignOptions, visit: string): Promise<ServerAnswer> => {
  const { edge, key, url, customerId, attributes, environment, surface, experimentIds } = options;
  const response = await (options.fetch ?? fetch)(`${edge.replace(/\/+$/, '')}/assign`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      user_id: visit.split('.')[0],
      url,
      sticky: visit, // the variations that the browser has stored in it
      customer_id: customerId,
      attributes,
      environment,
      surface,
      experiment_ids: experimentIds,
      force: forcedBy(url).force,
      values: true,
    }),
    signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS),
    cache: 'no-store',
  });
  const answer = (await response.json()) as ServerAnswer & { error?: string; message?: string };
  if (response.ok) return answer;
  throw new Error(`the assignment route answered ${response.status} ${answer.error}: ${answer.message}`);
};

/**
 * Decide what the visitor of a request gets at its address, as the snippet will decide it in the browser. Never rejects:
 * a page must not fail because of its experiments.
 */
export const assign = async (options: AssignOptions): Promise<Assigned> => {
  try {
    const visit = options.visitor?.value ?? visitIn(options.cookie);
    if (!visit || isUncounted(options)) return { bootstrap: {} };
    const answer = await post(options, visit);
    return { bootstrap: bootstrapOf(answer), answer };
  } catch (error) {
    return { bootstrap: {}, error: error instanceof Error ? error : new Error(String(error)) };
  }
};

/** Return a bootstrap as JSON that may be put into an element `<script type="application/json">`. */
export const serialize = (bootstrap: Bootstrap): string => JSON.stringify(bootstrap).replaceAll('<', '\\u003c');
