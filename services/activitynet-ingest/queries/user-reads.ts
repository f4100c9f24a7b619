import type { Queryable, Statement } from '../../../mixins/database/database.ts';

/*
 * Limits of reads for unauthenticated events, as parts of the provider's limits. Of 1,000 reads a day: 200 per user, of
 * which 20 may be fruitless; 250 fruitless reads of all users, and 25 in a quarter hour of 100.
 */
const limits = `
  select activitynet.quarter_of(at) as quarter, activitynet.day_of(at) as day,
    greatest(10, day_limit / 5) as owner_used, greatest(4, day_limit / 50) as owner_fruitless,
    greatest(2, quarter_limit / 4) as quarter_fruitless, greatest(4, day_limit / 4) as day_fruitless
  from (
    select activitynet.clock($2) as at, coalesce(b.quarter_limit, $3::int) as quarter_limit,
      coalesce(b.day_limit, $4::int) as day_limit
    from activitynet.budget b where b.application = $1
  ) b`;

/** The application, how far a test has moved the clock forward, and the configured limits. */
export interface ReadLimits {
  readonly application: string;
  readonly aheadMs: number;
  readonly quarterLimit: number;
  readonly dayLimit: number;
}

const valuesOf = ({ application, aheadMs, quarterLimit, dayLimit }: ReadLimits) => [
  application,
  aheadMs,
  quarterLimit,
  dayLimit,
];

const current = (column: string) => `case when o.day = l.day then o.${column} else 0 end`;

// The read counts as fruitless until its outcome is known. The total of fruitless reads is checked but not raised here:
// it is raised when the outcome is recorded.
const charge: Statement = {
  name: 'activitynet.charge_owner',
  text: `
    with l as materialized (${limits}),
    isOpen as (
      select not exists (
        select from activitynet.fruitless_reads f, l
        where f.application = $1 and (f.quarter = l.quarter and f.quarter_used >= l.quarter_fruitless
          or f.day = l.day and f.day_used >= l.day_fruitless)) as is_open
    )
    insert into activitynet.owner_reads as o (user_id, day, used, fruitless)
    select $5, l.day, 1, 1 from l, isOpen where is_open
    on conflict (user_id) do update
      set (day, used, fruitless) = (select l.day, ${current('used')} + 1, ${current('fruitless')} + 1 from l)
      where (select ${current('used')} < l.owner_used and ${current('fruitless')} < l.owner_fruitless from l)
    returning user_id`,
};

/** Reserves a read for a user. Returns false if the user, or all users together, have none left. */
export async function reserveUserRead(database: Queryable, of: ReadLimits, userId: string): Promise<boolean> {
  return (await database.query(charge, [...valuesOf(of), userId])).length > 0;
}

/** The outcome of a reservation of one read: how many reads were sent, and how many of them were fruitless. */
export interface SettledReads {
  readonly sent: number;
  readonly fruitless: number;
}

const settleReads: Statement = {
  name: 'activitynet.settle_owner',
  text: `
    with l as materialized (${limits})
    update activitynet.owner_reads o
    set used = greatest(0, o.used - 1 + $6::int), fruitless = greatest(0, o.fruitless - 1 + $7::int)
    from l where o.user_id = $5 and o.day = l.day`,
};

const addFruitless: Statement = {
  name: 'activitynet.add_fruitless',
  text: `
    insert into activitynet.fruitless_reads as f (application, quarter, quarter_used, day, day_used)
    select $1, l.quarter, $5, l.day, $5 from (${limits}) l
    on conflict (application) do update set
      quarter = excluded.quarter, day = excluded.day,
      quarter_used = case when f.quarter = excluded.quarter then f.quarter_used else 0 end + $5::int,
      day_used = case when f.day = excluded.day then f.day_used else 0 end + $5::int`,
};

/** Records the outcome of a reserved read. */
export async function settleUserReads(
  database: Queryable,
  of: ReadLimits,
  userId: string,
  { sent, fruitless }: SettledReads,
): Promise<void> {
  await database.query(settleReads, [...valuesOf(of), userId, sent, fruitless]);
  if (fruitless > 0) await database.query(addFruitless, [...valuesOf(of), fruitless]);
}
