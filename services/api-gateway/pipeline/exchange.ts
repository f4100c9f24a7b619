import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'moleculer';
import type { Config } from '../../../config.ts';
import type { Admission } from '../../../contracts/auth/schemas.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { Inbox } from '../../../mixins/inbox/inbox.ts';
import type { ReceivedCounts } from '../../../mixins/inbox/received-counts.ts';
import type { Call } from '../../../runtime/environment.ts';
import type { Endpoint } from '../endpoints.ts';
import type { WebhookAccess } from '../webhooks/webhook-access.ts';
import type { WebhookCapacity } from '../webhooks/webhook-capacity.ts';
import type { AddressWindows, Window } from '../windows/windows.ts';
import type { AccessCounts } from './access-counts.ts';
import type { Credential } from './credential.ts';
import type { Idempotency } from './idempotency.ts';

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
