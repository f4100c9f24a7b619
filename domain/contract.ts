import { z } from 'zod';
import { type CallerKind, kindsWith, type Permission } from './access.ts';
import type { AuditAction } from './audit.ts';
import type { DataKind } from './data-kind.ts';
import type { ErrorCode } from './errors.ts';

/**
 * A contract is the public interface of one service, as data. Validation, the types of remote calls, the gateway's routes,
 * openapi.json and the tests of each route are derived from it.
 */

/** Who may call a route: any client, the sender of a webhook, or whoever has the permission. */
type Access = 'public' | 'webhook' | Permission;

/** Every path of the API has this prefix. */
export const apiPrefix = '/api/v1';

/** Why the route of a webhook has no audit entry of its own. */
export const auditOfDelivery = {
  none: 'The delivery itself is kept and listed; what it changes beside health data has entries.',
} as const;

/** The permissions of routes that return health values. */
type ReadPermission = Extract<Permission, 'data.read' | 'data.export'>;

/** The HTTP route of an action. One that returns health values states their kind, under which its reads are recorded. */
export type HttpRoute = RouteFields &
  (
    | { readonly access: ReadPermission; readonly reads: DataKind }
    | { readonly access: Exclude<Access, ReadPermission>; readonly reads?: never }
  );

/** The path is relative to apiPrefix, with parameters as `:name`. */
interface RouteFields {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/${string}`;
  /** The project of the request is `project_id` of the path, and not that of X-Project. */
  readonly projectInPath?: true;
  /** A request without a credential is admitted too: its body holds one. */
  readonly orPublic?: true;
  /** The parameters of a DELETE are in its body: they hold a secret, and queries are logged. */
  readonly bodyOfDelete?: true;
  /** The status of success; default 200. 204 has no body. */
  readonly status?: 200 | 201 | 202 | 204;
  /** The section of the documentation that lists it. */
  readonly tag: string;
  /** The body is stored in the inbox and passed as a delivery, not as parameters. */
  readonly delivery?: Delivery;
  /** The body is a file of any size, which is passed on in parts. */
  readonly file?: FileBody;
  /** The route also has a secret address: its path, followed by a secret of this provider, WEBHOOK_SECRET_<PROVIDER>. */
  readonly secretAddress?: string;
  /**
   * The answer is a stream in one of these forms; `returns` describes a line of `ndjson` and `csv`, and the whole of `json`. `bytes`: a
   * file as it is.
   */
  readonly stream?: readonly ('ndjson' | 'csv' | 'json' | 'geojson' | 'gpx' | 'tcx' | 'bytes')[];
  /** The route is called by a browser: `returns` is a BrowserAnswer, sent as a redirect (303) or a page. */
  readonly browser?: true;
  /** Form bodies (application/x-www-form-urlencoded) are accepted besides JSON. */
  readonly form?: true;
  /** A call without a body equals one with an empty object. */
  readonly bodyOptional?: true;
  /** With an Idempotency-Key the action runs at most once: for a day, a repeated request returns the first answer. */
  readonly idempotencyKey?: true;
  /**
   * The action of its audit entry. Every route that changes something or exports personal data states one, or why it
   * needs none. The gateway writes the entry of a stream and of a read; the service that makes a change writes its own.
   */
  readonly audit?: AuditAction | { readonly none: string };
  /** Failures without a credential count against the address (log-ins, tokens, refreshes). */
  readonly countFailures?: true;
  /** The body names the user, so the action checks that a user token names its own user. */
  readonly userInBody?: true;
  /** `user_id` is a filter of a list: a user of another project is like one who does not exist. */
  readonly userFilter?: true;
  /** The largest decompressed body; default 128 MiB for a delivery, otherwise 1 MiB. */
  readonly bodyLimitBytes?: number;
  /** The parameter with the seconds for which a request without data waits for some. The answer has a list `data`. */
  readonly waits?: string;
  /**
   * A route of FHIR: answers and failures are resources, wrong parameters are answered 400, and unknown ones are refused unless the
   * client asks for leniency.
   */
  readonly fhir?: true;
  /** The user whose data is requested, where parameters name the user otherwise than as `user_id`. */
  readonly userOf?: (given: Readonly<Record<string, unknown>>) => string | null;
  /** Headers of the answer that follow from it. */
  readonly headersOf?: (answer: unknown) => Readonly<Record<string, string>>;
  /** Failures of this route for the documentation, besides those that follow from the rest of its description. */
  readonly failures?: readonly ErrorCode[];
  /** Requests are neither counted nor refused by rate limits: load balancers and monitors depend on the answer. */
  readonly unlimited?: true;
}

/**
 * The actions that take a file: `opens` admits it for a user, `takes` stores a part, `drops` deletes what arrived of one that
 * ended early. The action of the route is called when all parts are stored.
 */
export interface FileBody {
  readonly opens: string;
  readonly takes: string;
  readonly drops: string;
}

/** The inbox entry that a webhook route makes of a request. */
export interface Delivery {
  readonly provider: string;
  readonly kind: string;
  /** A body as the provider sends it, for the documentation. */
  readonly example: Readonly<Record<string, unknown>>;
  /** Headers beside the common ones that the service reads, by name, for the documentation. */
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly example: string }>>;
  /** The documented HTTP answer. The action itself returns a small value, because a bus message is limited to 8 MB. */
  readonly answer: z.ZodType;
  /** The answer for a stored delivery that is not processed yet. */
  readonly pending: () => Record<string, unknown>;
  /** The status of the HTTP answer by the delivery's answer; 204 has no body. Default: 200. */
  readonly statusOf?: (answer: unknown) => 200 | 204 | 401;
  /** Any body is answered 200, also an unreadable one, because the sender retries on every other status. */
  readonly anyBody?: true;
  /**
   * The holder of a credential uploads the body for the user in the path. The value is the action that admits the user's
   * uploads. The client takes every 4xx but 401 and 403 as final, so that other refusals are 503. Requests are not counted
   * by rate limits, and the credential may lack its scheme.
   */
  readonly uploadedFor?: string;
}

/** One remote call: its parameters, its answer and its HTTP route. */
export interface ActionDefinition<P extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  readonly summary: string;
  /** Details beyond the summary, for the documentation. */
  readonly description?: string;
  readonly params: P;
  readonly returns: R;
  readonly http?: HttpRoute;
  /** Whether the bus may retry a call. Default: that of a GET. */
  readonly idempotent?: boolean;
  /** The time-out of a call; default 5,000. */
  readonly timeoutMs?: number;
  /** That of a call within one process, where no message is lost: a repetition would only do the same work once more. */
  readonly localTimeoutMs?: number;
  /** It serves the check of the project of `user_id`, so it has none. */
  readonly unchecked?: true;
  /** The events on which it is called. */
  readonly on?: readonly (keyof Lifecycle)[];
  /** The only providers whose connections it is called about. Omitted: all. */
  readonly providers?: readonly string[];
}

/**
 * Events of a user or a connection that several services handle, with the parameters of their actions. `P` is the type of
 * a provider's name.
 */
export interface Lifecycle<P = never> {
  /** The user was deleted: all data of the user is erased. */
  readonly userErased: { readonly user_id: string };
  /** A connection was imported with a token: its data can be read from now on. */
  readonly connectionImported: { readonly user_id: string; readonly provider: P };
  /** Our access to an account ended: nothing more is fetched for the connection. */
  readonly connectionEnded: { readonly connection_id: string };
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

/** The permission that a route needs; null where it needs none. */
export function permissionOf({ access }: Pick<HttpRoute, 'access'>): Permission | null {
  return access === 'public' || access === 'webhook' ? null : access;
}

/** Whether the parameters of a route are in the query, and not in the body. */
export function takesQuery({ method, bodyOfDelete }: Pick<HttpRoute, 'method' | 'bodyOfDelete'>): boolean {
  return method === 'GET' || (method === 'DELETE' && bodyOfDelete !== true);
}

/** The kinds of credentials that may call a route; empty where it needs none. */
export function credentialsOf(route: Pick<HttpRoute, 'access'>): readonly CallerKind[] {
  const permission = permissionOf(route);
  return permission === null ? [] : kindsWith(permission);
}

/** Defines one action; the function only infers the types. */
export function action<P extends z.ZodType, R extends z.ZodType>(
  definition: ActionDefinition<P, R> & { readonly on?: readonly Events<z.input<P>>[] },
): ActionDefinition<P, R> {
  return definition;
}

/** Defines the actions of a service under its name. */
export function contract<N extends string, A extends Readonly<Record<string, ActionDefinition>>>(
  name: N,
  actions: A,
): Contract<N, A> {
  return { name, actions };
}

/** The parameters and answers by full action name (`users.get`). */
export type ActionsOf<C> =
  C extends Contract<infer N, infer A>
    ? {
        [K in keyof A & string as `${N}.${K}`]: {
          params: z.input<A[K]['params']>;
          returns: z.output<A[K]['returns']>;
        };
      }
    : never;

/** The parameters of an action of a contract, as its service receives them. */
export type ParamsOf<C extends Contract, A extends keyof C['actions']> = z.output<C['actions'][A]['params']>;

/** For actions without parameters. */
export const Nothing = z.object({});
