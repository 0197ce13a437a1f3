// Types of data-layer triggers (docs/data-model.md, section 2.4); nothing here reaches the bundle.

export type Payload = Record<string, unknown>;

export interface Mapping {
  from: string[];
  to: string;
  /** `scalar` by default: a string, number or boolean as it is. `amount` is for revenue only. */
  type?: string;
  trim?: true;
  lower?: true;
  map?: Record<string, string>;
  scale?: number;
  default?: unknown;
  /** In days. */
  ttl?: number;
  persist?: true;
}

export interface SignalTrigger {
  id: string;
  event: string;
  layer: string;
  when?: { path: string; op: 'eq' | 'neq' | 'gt' | 'lt' | 'exists' | 'not_exists'; value?: unknown }[];
  reevaluate?: true;
  pageview?: true;
  track?: string;
  revenue?: {
    revenue: string[];
    order_id?: string[];
    currency?: string[];
    cost?: string[];
    profit?: string[];
    properties?: Mapping[];
  };
  properties?: Mapping[];
  mappings?: Mapping[];
}

/** Result of a trigger for a payload. */
export interface Signal {
  matched: boolean;
  revenue: {
    revenue: number;
    orderId: string | null;
    currency: string | null;
    cost: number | null;
    profit: number | null;
    properties: Record<string, unknown>;
  } | null;
  properties: Record<string, unknown>;
  mapped: Record<string, unknown>;
  errors: { path: string; message: string }[];
}
