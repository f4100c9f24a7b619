import type { Clock } from './clock.ts';
import type { Days } from './days.ts';
import type { Outbox } from './delivery.ts';
import type { Faults } from './faults.ts';
import type { Person } from './people.ts';
import type { Store } from './store.ts';

/** What all parts of a running sandbox share. */
export interface World {
  readonly clock: Clock;
  readonly store: Store;
  readonly days: Days;
  readonly faults: Faults;
  readonly outbox: Outbox;
  readonly limits: SandboxLimits;
  /** Where the sandbox is, without a path. */
  readonly url: string;
  /** Origins beside loopback that may be sent back to after consent. */
  readonly redirectOrigins: readonly string[];
  person(index: number): Person;
}

/** What the providers allow, and how they gather. */
export interface SandboxLimits {
  /** How long backfill requests are gathered before their data is sent, by the wall clock. */
  readonly batchWindowMs: number;
  readonly historyRequestsPerMinute: number;
  /** Reads of an API with quotas; all its requests may be twice as many. */
  readonly readsPer15Minutes: number;
  readonly readsPerDay: number;
}

/** Seconds of the providers' clock, never behind the wall clock, by which applications note connections. */
export function stampOf({ clock }: Pick<World, 'clock'>): number {
  return Math.floor(Math.max(clock.nowMs(), Date.now()) / 1000);
}
