import { Api } from './generated/groups.gen.ts';
import { type PulsebusOptions, Transport } from './transport.ts';
import { verify } from './webhooks.ts';

/** The client of one server. `pulsebus.users.get(…)` calls the operation `users.get` of openapi.json. */
export class Pulsebus extends Api {
  constructor(options: PulsebusOptions) {
    super(new Transport(options));
  }
}

/** Verifies webhook messages without a client. */
export const webhooks = { verify };

export {
  ConflictError,
  ConnectionError,
  ForbiddenError,
  GoneError,
  NotFoundError,
  PulsebusError,
  RateLimitError,
  ServerError,
  UnauthenticatedError,
  ValidationError,
} from './errors.ts';
export type { WebhookEvent } from './generated/events.gen.ts';
export { providers } from './generated/providers.gen.ts';
export type * from './generated/types.gen.ts';
export type { Input } from './input.ts';
export type { Lines } from './lines.ts';
export type { ItemOf, Pages } from './pages.ts';
export type { CallOptions, PulsebusOptions } from './transport.ts';
export { type WebhookHeaders, WebhookVerificationError } from './webhooks.ts';
