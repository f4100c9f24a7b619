import { z } from 'zod';
import type { AuditAction } from './audit.ts';

/**
 * A contract is the public face of one service, said once as data. From it follow validation, the types of
 * every remote call, the gateway's routes, openapi.json and the tests that try each route.
 */

/** Who may call a route: nobody in particular, a webhook's sender, or the holder of a credential. */
export type Access = 'public' | 'webhook' | 'api-key' | 'developer' | 'sdk';

/** Every path of the API has this prefix. */
export const apiPrefix = '/api/v1';

/** Why the route of a webhook has no audit entry of its own. */
export const auditOfDelivery = {
  none: 'The delivery itself is kept and listed; what it changes beside health data has entries.',
} as const;

/** How an action is reached over HTTP; the path is relative to apiPrefix and names its parameters `:like_this`. */
export interface HttpRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: `/${string}`;
  readonly access: readonly Access[];
  /** The status of success; 200 unless told. */
  readonly status?: 200 | 201 | 202;
  /** The section of the documentation that lists it. */
  readonly tag: string;
  /** A body is stored in the inbox and handed over as a delivery, not as parameters. */
  readonly delivery?: Delivery;
  /** The route also has a secret address: its path, followed by a secret of this provider, WEBHOOK_SECRET_<PROVIDER>. */
  readonly secretAddress?: string;
  /** The answer is a stream of lines in one of these forms; `returns` describes a line. */
  readonly stream?: readonly ('ndjson' | 'csv')[];
  /** It is visited by a person's browser: `returns` is a BrowserAnswer, sent as a redirect (303) or a page. */
  readonly browser?: true;
  /** Form bodies (application/x-www-form-urlencoded) are taken beside JSON. */
  readonly form?: true;
  /** A call without a body is as good as one with an empty object. */
  readonly bodyOptional?: true;
  /** An Idempotency-Key makes it run at most once: the same request again is answered as the first was, for a day. */
  readonly idempotencyKey?: true;
  /**
   * The action of its audit entry. Every route that changes something or exports personal data states one, or why it
   * needs none. The gateway writes the entry of a stream and of a read; the service that makes a change writes its own.
   */
  readonly audit?: AuditAction | { readonly none: string };
  /** Failures without a credential count against the address (log-ins, tokens, refreshes). */
  readonly countFailures?: true;
  /** The largest body, decompressed; 128 MiB of a delivery and 1 MiB of everything else unless told. */
  readonly bodyLimitBytes?: number;
  /** Requests are neither counted nor refused by rate limits: load balancers and monitors depend on the answer. */
  readonly unlimited?: true;
}

/** The inbox entry that a webhook route makes of a request. */
export interface Delivery {
  readonly provider: string;
  readonly kind: string;
  /** A body as the provider sends it, for the documentation. */
  readonly example: Readonly<Record<string, unknown>>;
  /** The documented HTTP answer; the action itself returns something small, because the bus takes 1 MB at most. */
  readonly answer: z.ZodType;
  /** The body that a stored delivery answers with while its work is not finished. */
  readonly pending: () => Record<string, unknown>;
  /** A body that cannot be read is answered 200 like any other: its sender knows no other success. */
  readonly anyBody?: true;
}

/** One remote call: what goes in, what comes out, how it is reached. */
export interface ActionDefinition<P extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  readonly summary: string;
  /** What a caller should know beyond the summary, for the documentation. */
  readonly description?: string;
  readonly params: P;
  readonly returns: R;
  readonly http?: HttpRoute;
  /** Calling twice is as good as once: the bus may try again. */
  readonly idempotent?: true;
  /** How long a caller waits; 5,000 unless told. */
  readonly timeoutMs?: number;
  /** The events on which it is called. */
  readonly on?: readonly (keyof Lifecycle)[];
  /** The only provider whose connections it is called about. */
  readonly provider?: string;
}

/**
 * What happens to a user or a connection that several services act on, with what their actions are given. `P` is the
 * type of a provider's name.
 */
export interface Lifecycle<P = never> {
  /** The user was deleted: nothing of them stays. */
  readonly userErased: { readonly user_id: string };
  /** Our access to an account ended: nothing more is fetched for the connection. */
  readonly connectionEnded: { readonly connection_id: string };
  /** The ending of a connection was contradicted: what stopped since then goes on. */
  readonly connectionRestored: { readonly connection_id: string; readonly since: string };
  /** The data that came through a connection is to be erased. */
  readonly connectionPurged: {
    readonly user_id: string;
    readonly provider: P;
    readonly version: number;
  };
}

/** The events whose parameters an action takes. */
type Events<T> = {
  [E in keyof Lifecycle]: Lifecycle[E] extends T ? E : never;
}[keyof Lifecycle];

/** The actions of one service. */
export interface Contract<
  N extends string = string,
  A extends Readonly<Record<string, ActionDefinition>> = Readonly<Record<string, ActionDefinition>>,
> {
  readonly name: N;
  readonly actions: A;
}

/** States one action; it only fixes the types. */
export function action<P extends z.ZodType, R extends z.ZodType>(
  definition: ActionDefinition<P, R> & { readonly on?: readonly Events<z.input<P>>[] },
): ActionDefinition<P, R> {
  return definition;
}

/** States a service's actions under its name. */
export function contract<N extends string, A extends Readonly<Record<string, ActionDefinition>>>(
  name: N,
  actions: A,
): Contract<N, A> {
  return { name, actions };
}

/** What a caller hands over and gets back, by full action name (`users.get`). */
export type ActionsOf<C> =
  C extends Contract<infer N, infer A>
    ? {
        [K in keyof A & string as `${N}.${K}`]: {
          params: z.input<A[K]['params']>;
          returns: z.output<A[K]['returns']>;
        };
      }
    : never;

/** For actions that take nothing. */
export const Nothing = z.object({});
