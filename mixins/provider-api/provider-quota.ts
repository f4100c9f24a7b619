import type { ReadLimits, ReadQuota } from '../../domain/provider/provider.ts';
import type { ProviderName } from '../../providers/all.ts';
import { providers } from '../../providers/all.ts';
import type { Environment, Mixin } from '../../runtime/environment.ts';
import { settingsOf } from '../../runtime/provider-settings.ts';
import { type Database, database } from '../database/database.ts';
import { quotaStatements } from './provider-quota-queries.ts';

/**
 * A provider's read quota of an application, shared by all processes and kept over restarts: a number of reads per
 * quarter hour and per UTC day. A read is reserved in both windows, in one statement, before it is sent.
 */
export interface ProviderQuota {
  /** Reserves `reads` requests. Returns null if one of the windows has too little left for such work. */
  reserve(reads: number, work: Work): Promise<QuotaReservation | null>;
  /** Whether reserved reads may still be sent: the window of the reservation is the current one. */
  holds(reservation: QuotaReservation): Promise<boolean>;
  /**
   * Records the outcome of one read and corrects the window by the provider's headers. A read that was not sent is
   * released.
   */
  settle(reservation: QuotaReservation, outcome: ReadOutcome): Promise<void>;
  /** Releases reserved reads that are not needed. */
  release(reservation: QuotaReservation, reads: number): Promise<void>;
  /** The reads that are left now. */
  room(): Promise<Room>;
}

/**
 * Live work may use the whole quota. Backfill leaves a part of each window for live events. Repair leaves what backfill
 * leaves, and at least a fifth of each window.
 */
export type Work = 'live' | 'backfill' | 'repair';

/** The part of each window in percent that repair leaves, however late in the window it is. */
const repairReservePercent = 20;

/** Reserved reads, with the windows that were current at the time. */
export interface QuotaReservation {
  readonly quarter: Date;
  readonly day: Date;
}

/** The status and headers of an answer. Status 0: no answer. `unsent`: the provider was not reached. */
interface ReadOutcome {
  readonly status: number;
  readonly headers: Headers;
  readonly unsent: boolean;
}

/** The number of reads that may be reserved now, by kind of work. */
export interface Room {
  readonly live: number;
  readonly backfill: number;
  readonly quarter_used: number;
  readonly quarter_limit: number;
  readonly day_used: number;
  readonly day_limit: number;
  readonly paused: boolean;
}

/** The number of reads that may be reserved now for repair. */
export function repairRoom({
  backfill,
  quarter_used,
  quarter_limit,
  day_used,
  day_limit,
}: Omit<Room, 'live' | 'paused'>): number {
  const left = (used: number, limit: number) =>
    limit - Math.ceil((limit * repairReservePercent) / 100) - used;
  return Math.max(0, Math.min(backfill, left(quarter_used, quarter_limit), left(day_used, day_limit)));
}

/** The application and the provider's quota. */
export interface QuotaChoice extends ReadLimits, Pick<ReadQuota, 'reported'> {
  /** The schema that holds the quota's table: that of the service that reads. */
  readonly schema: string;
  readonly application: string;
  /** How far a test has moved the clock forward. */
  readonly aheadMs?: () => number;
}

/**
 * No read is reserved this close to the turn of a window: a request that is sent in one window and arrives in the next
 * would exceed the limit of the next one, and clocks do not agree to the second.
 */
const quietMs = 2000;

/** The quota over an open database. */
export async function quotaOn(database: Database, choice: QuotaChoice): Promise<ProviderQuota> {
  const { schema, application, quarterLimit, dayLimit, reported, aheadMs = () => 0 } = choice;
  const sql = quotaStatements(schema);
  await database.query(sql.insertBudget, [application]);
  const parameters = () => [application, aheadMs(), quarterLimit, dayLimit, quietMs];
  return {
    async reserve(reads, work) {
      const [row] = await database.query<QuotaReservation>(sql.reserveReads, [
        ...parameters(),
        reads,
        work !== 'live',
        work === 'repair' ? repairReservePercent : 0,
      ]);
      return row ?? null;
    },
    async holds({ quarter }) {
      return (await database.query(sql.selectHeld, [aheadMs(), quietMs, quarter])).length > 0;
    },
    async settle(reservation, { status, headers, unsent }) {
      const { read, left } = reported(headers);
      const report = {
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
      const values = [application, aheadMs(), quarterLimit, dayLimit, reservation.quarter, reservation.day];
      await database.query(sql.settleRead, [...values, JSON.stringify(report)]);
    },
    async release(reservation, reads) {
      if (reads > 0)
        await database.query(sql.releaseReads, [application, reservation.quarter, reservation.day, reads]);
    },
    async room() {
      const [row] = await database.query<Room>(sql.selectRoom, parameters());
      if (row === undefined) throw new Error('the quota has no row');
      return row;
    },
  };
}

/** A provider that limits reads. */
export type LimitedProvider = {
  [N in ProviderName]: (typeof providers)[N]['quota'] extends ReadQuota ? N : never;
}[ProviderName];

/** The quota of a provider as a service mixin. Its table is in the schema of the service that reads. */
export function providerQuota(
  provider: LimitedProvider,
  own: Pick<QuotaChoice, 'schema' | 'aheadMs'>,
): Mixin<ProviderQuota> {
  return async (starting) => quotaOn(await database()(starting), { ...quotaOf(starting, provider), ...own });
}

/** The application and the limits of a provider, by the settings. */
function quotaOf({ config }: Pick<Environment, 'config'>, provider: LimitedProvider) {
  const { limits, reported } = providers[provider].quota;
  return { ...limits(config), reported, application: settingsOf(config, provider).clientId ?? 'default' };
}
