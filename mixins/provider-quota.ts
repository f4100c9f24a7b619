import type { Mixin } from '../runtime/environment.ts';
import { type Database, database } from './database.ts';
import { quotaStatements } from './provider-quota-queries.ts';

/**
 * What an application may read of a provider, shared by all processes and kept over restarts: so many reads in each
 * quarter hour and each UTC day. A read is charged to both windows before it is sent, in one statement, or not sent.
 */
export interface ProviderQuota {
  /** The right to `reads` requests, or null where one of the windows has too little left for such work. */
  charge(reads: number, work: Work): Promise<Ticket | null>;
  /** Whether reads that were charged may still be sent: their window is the current one. */
  holds(ticket: Ticket): Promise<boolean>;
  /** What came of one read; its window is corrected by what the provider says. Not sent at all: it is given back. */
  settle(ticket: Ticket, outcome: ReadOutcome): Promise<void>;
  /** Gives back reads that were charged and are not needed. */
  refund(ticket: Ticket, reads: number): Promise<void>;
  /** What is left now. */
  room(): Promise<Room>;
}

/** Live work may use all; history leaves a part of each window for what happens now. */
export type Work = 'live' | 'history';

/** Reads that were charged, to the windows that were current then. */
export interface Ticket {
  readonly quarter: Date;
  readonly day: Date;
}

/** An answer's status, 0 where none came, with its headers; `unsent` where the provider was not even reached. */
export interface ReadOutcome {
  readonly status: number;
  readonly headers: Headers;
  readonly unsent: boolean;
}

/** Reads that may be charged now. */
export interface Room {
  readonly live: number;
  readonly history: number;
  readonly quarter_used: number;
  readonly quarter_limit: number;
  readonly day_used: number;
  readonly day_limit: number;
  readonly paused: boolean;
}

/** Of which application, with which limits as long as the provider tells no others. */
export interface QuotaChoice {
  /** The schema that holds the budget: the one of the service that reads. */
  readonly schema: string;
  readonly application: string;
  readonly quarterLimit: number;
  readonly dayLimit: number;
  /** How far a test has turned the clock ahead. */
  readonly aheadMs?: () => number;
}

/**
 * Nothing is charged this close to the turn of a window: a request that is sent in one and arrives in the next would
 * break the new one's limit, and no two clocks agree to the second.
 */
export const quietMs = 2000;

/** The budget over a database that is open. */
export async function quotaOn(database: Database, choice: QuotaChoice): Promise<ProviderQuota> {
  const { schema, application, quarterLimit, dayLimit, aheadMs = () => 0 } = choice;
  const sql = quotaStatements(schema);
  await database.query(sql.insertBudget, [application]);
  const place = () => [application, aheadMs(), quarterLimit, dayLimit, quietMs];
  return {
    async charge(reads, work) {
      const [row] = await database.query<Ticket>(sql.chargeReads, [...place(), reads, work === 'history']);
      return row ?? null;
    },
    async holds({ quarter }) {
      return (await database.query(sql.selectHeld, [aheadMs(), quietMs, quarter])).length > 0;
    },
    async settle(ticket, { status, headers, unsent }) {
      const { read, left } = readLimits(headers);
      const told = {
        unsent,
        failed: status === 0 || status >= 500,
        rejected: status === 429,
        quarter_limit: read?.quarter.limit,
        quarter_usage: read?.quarter.usage,
        quarter_left: left?.quarter,
        day_limit: read?.day.limit,
        day_usage: read?.day.usage,
        day_left: left?.day,
      };
      const values = [application, aheadMs(), quarterLimit, dayLimit, ticket.quarter, ticket.day];
      await database.query(sql.settleRead, [...values, JSON.stringify(told)]);
    },
    async refund(ticket, reads) {
      if (reads > 0) await database.query(sql.refundReads, [application, ticket.quarter, ticket.day, reads]);
    },
    async room() {
      const [row] = await database.query<Room>(sql.selectRoom, place());
      if (row === undefined) throw new Error('the budget has no row');
      return row;
    },
  };
}

/** The budget as a mixin of a service. */
export function providerQuota(choose: (environment: BudgetSettings) => QuotaChoice): Mixin<ProviderQuota> {
  const pool = database();
  const opened = new WeakMap<ProviderQuota, Database>();
  return {
    async start(environment) {
      const open = await pool.start(environment);
      const budget = await quotaOn(open, choose(environment));
      opened.set(budget, open);
      return budget;
    },
    async stop(budget) {
      const open = opened.get(budget);
      if (open !== undefined) await pool.stop(open);
    },
  };
}

type BudgetSettings = Pick<Parameters<Mixin<unknown>['start']>[0], 'config'>;

interface Windows<T> {
  readonly quarter: T;
  readonly day: T;
}

/**
 * What the headers tell: limit and usage of reads where they say it, else how many requests of any kind are left.
 * Of the limit of all requests nothing follows for reads but that there are no more than those.
 */
export interface Told {
  readonly read: Windows<{ readonly limit: number; readonly usage: number }> | null;
  readonly left: Windows<number> | null;
}

/** Reads the provider's rate-limit headers: pairs `quarter,day`, in any case of letters, any of them missing. */
export function readLimits(headers: Headers): Told {
  const read = pairs(headers, 'x-readratelimit');
  const all = pairs(headers, 'x-ratelimit');
  return {
    read,
    left:
      read !== null || all === null
        ? null
        : { quarter: all.quarter.limit - all.quarter.usage, day: all.day.limit - all.day.usage },
  };
}

function pairs(headers: Headers, prefix: string) {
  const limit = pair(headers.get(`${prefix}-limit`));
  const usage = pair(headers.get(`${prefix}-usage`));
  if (limit === null || usage === null) return null;
  return {
    quarter: { limit: limit.quarter, usage: usage.quarter },
    day: { limit: limit.day, usage: usage.day },
  };
}

function pair(text: string | null): Windows<number> | null {
  const match = /^\s*(\d{1,9})\s*,\s*(\d{1,9})\s*$/.exec(text ?? '');
  return match === null ? null : { quarter: Number(match[1]), day: Number(match[2]) };
}
