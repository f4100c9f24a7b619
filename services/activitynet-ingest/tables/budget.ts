import { type Database, database, type Statement } from '../../../mixins/database/database.ts';
import { reportedLimits } from '../../../providers/activitynet/reported-limits.ts';
import type { Mixin } from '../../../runtime/environment.ts';

/*
 * In the statements $1 is the application, $2 how far the clock is moved forward, $3 and $4 are the configured limits.
 */

/**
 * The read quota of an application, shared by all processes and kept over restarts: a number of reads per
 * quarter hour and per UTC day. A read is reserved in both windows, in one statement, before it is sent.
 */
export interface ReadQuota {
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

/** The application, its limits until the provider reports others, and how far a test has moved the clock forward. */
interface QuotaChoice {
  readonly application: string;
  readonly quarterLimit: number;
  readonly dayLimit: number;
  readonly aheadMs: () => number;
}

/** The read quota as a service mixin. */
export function readQuota(aheadMs: () => number): Mixin<ReadQuota> {
  return async (starting) => {
    const { config } = starting;
    return quotaOn(await database()(starting), {
      application: config.ACTIVITYNET_CLIENT_ID ?? 'default',
      quarterLimit: config.ACTIVITYNET_READS_PER_15_MIN,
      dayLimit: config.ACTIVITYNET_READS_PER_DAY,
      aheadMs,
    });
  };
}

/**
 * No read is reserved this close to the turn of a window: a request that is sent in one window and arrives in the next
 * would exceed the limit of the next one, and clocks do not agree to the second.
 */
const quietMs = 2000;

/** The quota over an open database. */
export async function quotaOn(
  database: Database,
  { application, quarterLimit, dayLimit, aheadMs }: QuotaChoice,
): Promise<ReadQuota> {
  await database.query(insertBudget, [application]);
  const parameters = () => [application, aheadMs(), quarterLimit, dayLimit, quietMs];
  return {
    async reserve(reads, work) {
      const [row] = await database.query<QuotaReservation>(reserveReads, [
        ...parameters(),
        reads,
        work !== 'live',
        work === 'repair' ? repairReservePercent : 0,
      ]);
      return row ?? null;
    },
    async holds({ quarter }) {
      return (await database.query(selectHeld, [aheadMs(), quietMs, quarter])).length > 0;
    },
    async settle(reservation, { status, headers, unsent }) {
      const { read, left } = reportedLimits(headers);
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
      await database.query(settleRead, [...values, JSON.stringify(report)]);
    },
    async release(reservation, reads) {
      if (reads > 0)
        await database.query(releaseReads, [application, reservation.quarter, reservation.day, reads]);
    },
    async room() {
      const [row] = await database.query<Room>(selectRoom, parameters());
      if (row === undefined) throw new Error('the quota has no row');
      return row;
    },
  };
}

// Inserts the row of an application.
const insertBudget: Statement = {
  name: 'activitynet.budget_insert',
  text: `insert into activitynet.budget (application) values ($1) on conflict do nothing`,
};

const now = `
  select at, activitynet.quarter_of(at) as quarter, activitynet.day_of(at) as day
  from (select activitynet.clock($2) as at) clock`;

// The current value of a window: 0 once the stored window has passed. If the clock goes back, the newer window stays.
const current = (window: 'quarter' | 'day', column: string) =>
  `case when b.${window} < w.${window} then 0 else b.${window}_${column} end`;
const used = (window: 'quarter' | 'day') => current(window, 'used');
const others = (window: 'quarter' | 'day') => current(window, 'others');
const quarterLimit = 'coalesce(b.quarter_limit, $3::int)';
const dayLimit = 'coalesce(b.day_limit, $4::int)';

// Reads that backfill leaves for live events: half of a quarter hour; of a day a half that shrinks with the rest of the
// day, so that reads which live events did not use become available. Two reads, which one activity needs, are always
// left to backfill.
const quarterReserve = `least(${quarterLimit} / 2, ${quarterLimit} - 2)`;
const dayReserve = `least(ceil(${dayLimit} / 2.0
  * extract(epoch from w.day + interval '1 day' - w.at) / 86400)::int, ${dayLimit} - 2)`;

const isOpen = `(b.paused_until is null or b.paused_until <= w.at)
  and w.at >= w.quarter + $5 * interval '1 ms' and w.at < w.quarter + interval '15 minutes' - $5 * interval '1 ms'`;

/** After this many failures in a row all processes pause. Then a single read probes the provider. */
const failuresToPause = 3;

// Reads that work other than live leaves: those of backfill, and at least $8 percent.
const reserve = (ofBackfill: string, limit: string) => `
  case when $7::boolean then greatest(${ofBackfill}, ceil(${limit} * $8::int / 100.0)::int) else 0 end`;

// Reserves $6 reads in both windows or in neither. $7: for backfill or repair.
const reserveReads: Statement = {
  name: 'activitynet.budget_charge',
  text: `
    with w as materialized (${now})
    update activitynet.budget b
    set quarter = greatest(b.quarter, w.quarter), quarter_used = ${used('quarter')} + $6::int,
      quarter_others = ${others('quarter')},
      day = greatest(b.day, w.day), day_used = ${used('day')} + $6::int, day_others = ${others('day')},
      open = case when b.day < w.day then 0 else b.open end + $6::int,
      probing = b.failures >= ${failuresToPause},
      paused_until = case when b.failures >= ${failuresToPause} then w.at + interval '15 seconds' end
    from w
    where b.application = $1 and ${isOpen}
      and ${used('quarter')} + ${others('quarter')} + $6::int
        <= ${quarterLimit} - ${reserve(quarterReserve, quarterLimit)}
      and ${used('day')} + ${others('day')} + $6::int
        <= ${dayLimit} - ${reserve(dayReserve, dayLimit)}
    returning b.quarter, b.day`,
};

// Whether $3 is the current quarter hour and does not end soon.
const selectHeld: Statement = {
  name: 'activitynet.budget_holds',
  text: `
    select at from (select activitynet.clock($1) as at) clock
    where at >= $3::timestamptz and at < $3::timestamptz + interval '15 minutes' - $2 * interval '1 ms'`,
};

// Releases $4 reads of the windows $2 and $3 if these are still current.
const releaseReads: Statement = {
  name: 'activitynet.budget_refund',
  text: `
    update activitynet.budget
    set quarter_used = case when quarter = $2 then greatest(0, quarter_used - $4::int) else quarter_used end,
      day_used = case when day = $3 then greatest(0, day_used - $4::int) else day_used end,
      open = greatest(0, open - $4::int)
    where application = $1`,
};

// The provider may have counted a read of a past window in the new one: it is counted there too. A rejected read means
// that its quarter hour is used up, whatever the stored count. If the reported usage exceeds all reservations, others
// use the same application: the whole difference, without our unanswered reads, is counted as theirs.
const settled = (window: 'quarter' | 'day', reservation: string, limit: string, spent: string) => `
  select coalesce(case when told.${window}_limit >= 2 then told.${window}_limit end, ${limit}) as new_limit, s.used,
    case when not s.is_same then s.others
      when coalesce(told.${window}_usage, ${limit} - told.${window}_left) > s.used
        then greatest(s.others, coalesce(told.${window}_usage, ${limit} - told.${window}_left) - s.used + o.open)
      else s.others end as others
  from (
    select is_same, others, case when is_same and ${spent} then greatest(own, ${limit}) else own end as used
    from (
      select greatest(b.${window}, w.${window}) = ${reservation} as is_same, ${others(window)} as others,
        greatest(0, ${used(window)} + case
          when greatest(b.${window}, w.${window}) = ${reservation} then case when told.unsent then -1 else 0 end
          else case when told.unsent then 0 else 1 end end) as own
    ) counted
  ) s`;

// Records the outcome of one read that was reserved in the windows $5 and $6. $7 holds the reported values.
const settleRead: Statement = {
  name: 'activitynet.budget_settle',
  text: `
    with w as materialized (${now}),
    told as materialized (
      select * from jsonb_to_record($7::jsonb) as t (unsent boolean, failed boolean, rejected boolean,
        quarter_limit int, quarter_usage int, quarter_left int, day_limit int, day_usage int, day_left int)
    ), held as materialized (select b.* from activitynet.budget b where b.application = $1 for update),
    result as (
      select w.at, w.quarter, w.day, told.failed, o.open,
        q.new_limit as quarter_limit, q.used as quarter_used, q.others as quarter_others,
        d.new_limit as day_limit, d.used as day_used, d.others as day_others,
        told.quarter_limit is not null as is_told,
        b.probing or b.paused_until is null or b.paused_until <= w.at as is_counted, b.failures
      from held b cross join w cross join told
      cross join lateral (select greatest(0, b.open - 1) as open) o
      cross join lateral (${settled('quarter', '$5::timestamptz', quarterLimit, 'told.rejected')}) q
      cross join lateral (${settled('day', '$6::timestamptz', dayLimit, 'false')}) d
    )
    update activitynet.budget b
    set quarter = greatest(b.quarter, r.quarter), quarter_used = r.quarter_used, quarter_others = r.quarter_others,
      day = greatest(b.day, r.day), day_used = r.day_used, day_others = r.day_others, open = r.open,
      quarter_limit = case when r.is_told then r.quarter_limit else b.quarter_limit end,
      day_limit = case when r.is_told then r.day_limit else b.day_limit end,
      failures = case when not r.failed then 0 when r.is_counted then r.failures + 1 else r.failures end,
      probing = false,
      paused_until = case
        when not r.failed then null
        when r.is_counted and r.failures + 1 >= ${failuresToPause}
          then r.at + least(300, 2 ^ least(r.failures + 1 - ${failuresToPause}, 16)) * interval '1 second'
        else b.paused_until end
    from result r where b.application = $1`,
};

const roomOf = (withReserve: boolean) => `
  case when ${isOpen} then greatest(0, least(
    ${quarterLimit} - ${used('quarter')} - ${others('quarter')} ${withReserve ? `- ${quarterReserve}` : ''},
    ${dayLimit} - ${used('day')} - ${others('day')} ${withReserve ? `- ${dayReserve}` : ''})) else 0 end`;

// The reads that are left in both windows.
const selectRoom: Statement = {
  name: 'activitynet.budget_room',
  text: `
    with w as materialized (${now})
    select ${roomOf(false)} as live, ${roomOf(true)} as backfill,
      ${used('quarter')} + ${others('quarter')} as quarter_used, ${quarterLimit} as quarter_limit,
      ${used('day')} + ${others('day')} as day_used, ${dayLimit} as day_limit,
      coalesce(b.paused_until > w.at, false) as paused
    from activitynet.budget b, w where b.application = $1`,
};
