import { type Pulsebus, PulsebusError } from '../../clients/typescript/src/index.ts';
import type { ClientProduct } from './product-with-sandbox.ts';

/** What the calls are made of. */
export interface Calling extends ClientProduct {
  readonly fetch: typeof fetch;
  readonly receiverUrl: string;
}

/** Clients with each kind of credential. */
export interface Clients {
  readonly anyone: Pulsebus;
  /** Holds an API key. */
  readonly pulsebus: Pulsebus;
  /** Holds a developer's token. */
  readonly developer: Pulsebus;
}

/** Waits for a call. @throws Error unless it fails with a status */
export async function expectFailure(status: number, call: PromiseLike<unknown>): Promise<void> {
  const outcome = await Promise.resolve(call).catch((error: unknown) => error);
  if (outcome instanceof PulsebusError && outcome.status === status) return;
  throw new Error(`the call does not fail with ${status}`, { cause: outcome });
}
