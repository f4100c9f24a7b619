import type { Outbox } from '../server/delivery.ts';
import type { Faults } from '../server/faults.ts';
import type { Client, Store } from '../server/store.ts';
import type { Clock } from './clock.ts';
import type { SimulatedUser } from './simulated-users.ts';

/** The shared state of a running sandbox. */
export interface World {
  readonly clock: Clock;
  readonly store: Store;
  readonly faults: Faults;
  readonly outbox: Outbox;
  readonly limits: SandboxLimits;
  /** Clients of the providers that allow several, besides the one of the settings. */
  readonly otherClients: readonly Client[];
  /** The URL of the sandbox, without a path. */
  readonly url: string;
  /** Allowed origins of redirects after consent, in addition to loopback. */
  readonly redirectOrigins: readonly string[];
  user(index: number): SimulatedUser;
}

/** The limits of the providers and their batch window. */
export interface SandboxLimits {
  /** How long backfill requests are collected before their data is sent, by the wall clock. */
  readonly batchWindowMs: number;
  readonly backfillRequestsPerMinute: number;
  /** Reads of an API with quotas. The limit of all its requests is twice as high. */
  readonly readsPer15Minutes: number;
  readonly readsPerDay: number;
  /** Requests of an API with such a limit, by the wall clock. */
  readonly requestsPerMinute: number;
  /** The Retry-After of a 429, of providers that send one. */
  readonly retryAfterSeconds: number;
}

/** Seconds of the providers' clock, but not before the wall clock, which applications use for the time of a connection. */
export function stampOf({ clock }: Pick<World, 'clock'>): number {
  return Math.floor(Math.max(clock.nowMs(), Date.now()) / 1000);
}
