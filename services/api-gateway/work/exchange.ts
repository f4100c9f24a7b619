import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'moleculer';
import type { Config } from '../../../config.ts';
import type { Admission } from '../../../contracts/auth/schemas.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { Inbox } from '../../../mixins/inbox/inbox.ts';
import type { ReceivedCounts } from '../../../mixins/inbox/received-counts.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { Credential } from '../rules/credential.ts';
import type { Endpoint } from '../rules/endpoints.ts';
import type { AccessCounts } from './access-counts.ts';
import type { Idempotency } from './idempotency.ts';
import type { WebhookAccess, WebhookCapacity } from './webhook-admission.ts';
import type { AddressWindows, Window } from './windows.ts';

/**
 * Dependencies of the request pipeline. The checks of a routed request, in order: credential (401), window (429), access
 * (403), body (413, 415, 400), then the action, which validates (422) and looks up the record (404).
 */
export interface Pipeline {
  readonly config: Config;
  readonly database: Database;
  readonly logger: Logger;
  readonly inbox: Inbox;
  readonly capacity: WebhookCapacity;
  readonly received: ReceivedCounts;
  readonly idempotency: Idempotency;
  readonly accesses: AccessCounts;
  readonly windows: AddressWindows;
  readonly webhooks: WebhookAccess;
  addressOf(req: IncomingMessage): string;
  /** Whether the gateway stops: requests that wait are ended. */
  isStopping(): boolean;
  /** The address of this gateway. */
  url(): string;
}

/** One request on its route. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly endpoint: Endpoint;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly call: Call;
  /** The credential, if it is not in the headers of the API: the session of the console. */
  readonly credential?: Credential;
  /** The project of the console's page. */
  readonly project?: string;
}

/** 429 with Retry-After, counted from the window's end. `counted`: what the limit is of. */
export function limited(res: ServerResponse, window: Admission | Window, counted = ''): ServiceError {
  const seconds = Math.min(60, Math.max(1, Math.ceil(window.reset - Date.now() / 1000)));
  res.setHeader('Retry-After', seconds);
  const unit = seconds === 1 ? 'second' : 'seconds';
  return new ServiceError(
    'RATE_LIMITED',
    `Too many requests: ${window.limit}${counted} a minute. Try again in ${seconds} ${unit}.`,
  );
}

/** @throws WEBHOOK_SENDER_REFUSED (403), WEBHOOK_ADDRESS_REFUSED (403) */
export function checkWebhookAccess({ webhooks, addressOf }: Pipeline, { req, endpoint }: Exchange): void {
  const provider = endpoint.route.secretAddress;
  if (provider !== undefined) webhooks.check(req, provider, addressOf(req));
}

/** The time for which one call waits: a client that went away, or a stop of the gateway, is noticed after it. */
const partSeconds = 2;

type Params = Record<string, unknown>;

/**
 * Calls the action of a request. One that waits for data is called in parts, until an answer has data or the time of the
 * request has passed.
 */
export async function callWaiting(
  pipeline: Pick<Pipeline, 'isStopping'>,
  { endpoint: { route, definition }, res }: Pick<Exchange, 'endpoint' | 'res'>,
  params: Params,
  call: (params: Params) => Promise<unknown>,
): Promise<unknown> {
  const name = route.waits;
  if (name === undefined) return call(params);
  const seconds = Number(params[name] ?? 0);
  // The action refuses wrong parameters.
  if (!(seconds > partSeconds) || !definition.params.safeParse(params).success) return call(params);
  for (let left = seconds; ; left -= partSeconds) {
    const answer = await call({ ...params, [name]: Math.min(left, partSeconds) });
    if (hasData(answer) || left <= partSeconds || res.closed || pipeline.isStopping()) return answer;
  }
}

function hasData(answer: unknown): boolean {
  const data: unknown = Reflect.get(Object(answer), 'data');
  return !Array.isArray(data) || data.length > 0;
}
