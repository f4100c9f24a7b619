import type { RetentionRule } from '../../../contracts/timeseries/retention.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

/** Serialises the changes of the rule of a project until the transaction ends: a project without a rule has no row to lock. */
export async function lockRule(transaction: Queryable, project: string): Promise<void> {
  const lock = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';
  await transaction.query(lock, [`retention_rule ${project}`]);
}

/** The rule of a project. Null: it has none. */
export async function selectRule(
  database: Queryable,
  project: string,
): Promise<(RetentionRule & { readonly updated_at: Date }) | null> {
  const [row] = await database.query<RetentionRule & { updated_at: Date }>(
    'select samples_days, events_days, updated_at from timeseries.retention_rule where project_id = $1',
    [project],
  );
  return row ?? null;
}

/** Stores the rule of a project. Its pass starts again. */
export async function upsertRule(
  transaction: Queryable,
  project: string,
  { samples_days, events_days }: RetentionRule,
): Promise<void> {
  await transaction.query(
    `insert into timeseries.retention_rule (project_id, samples_days, events_days) values ($1, $2, $3)
     on conflict (project_id) do update
       set samples_days = excluded.samples_days, events_days = excluded.events_days, updated_at = now(),
         pass_day = null, pass_user = null, pass_series = 0, finished_at = null`,
    [project, samples_days, events_days],
  );
}

/** Deletes the rule of a project. Returns whether there was one. */
export async function deleteRule(database: Queryable, project: string): Promise<boolean> {
  const statement = 'delete from timeseries.retention_rule where project_id = $1 returning 1';
  return (await database.query(statement, [project])).length > 0;
}

/** All rules, by project. */
export async function selectRules(database: Queryable): Promise<ReadonlyMap<string, RetentionRule>> {
  const rows = await database.query<RetentionRule & { project_id: string }>(
    'select project_id, samples_days, events_days from timeseries.retention_rule',
  );
  return new Map(rows.map(({ project_id, ...rule }) => [project_id, rule]));
}

/** How far the pass of a project has come: the last user whose data is done, and the last series of the next users. */
export interface ProjectPass {
  readonly project_id: string;
  readonly pass_user: string | null;
  readonly pass_series: number;
}

const position = `case when pass_day = $1::date then pass_user end as pass_user,
  case when pass_day = $1::date then pass_series else 0 end as pass_series`;

/** A project whose pass of a day is not done. */
export async function selectUnfinishedPass(
  database: Queryable,
  day: string,
): Promise<ProjectPass | undefined> {
  const [row] = await database.query<ProjectPass>(
    `select project_id, ${position} from timeseries.retention_rule
     where pass_day is distinct from $1::date or finished_at is null order by project_id limit 1`,
    [day],
  );
  return row;
}

/** Locks the rule of a pass and returns it. Null if the rule or the pass has changed since it was read. */
export async function claimPass(
  transaction: Queryable,
  day: string,
  { project_id, pass_user, pass_series }: ProjectPass,
): Promise<RetentionRule | null> {
  const [row] = await transaction.query<ProjectPass & RetentionRule>(
    `select samples_days, events_days, ${position} from timeseries.retention_rule where project_id = $2 for update`,
    [day, project_id],
  );
  const isSame = row?.pass_user === pass_user && row.pass_series === pass_series;
  return isSame ? { samples_days: row.samples_days, events_days: row.events_days } : null;
}

/** Stores how far a pass has come. */
export async function movePass(
  transaction: Queryable,
  day: string,
  { project_id, pass_user, pass_series }: ProjectPass,
): Promise<void> {
  await transaction.query(
    `update timeseries.retention_rule set pass_day = $2, pass_user = $3, pass_series = $4, finished_at = null
     where project_id = $1`,
    [project_id, day, pass_user, pass_series],
  );
}

/** Records that the pass of a day is done. */
export async function finishPass(transaction: Queryable, day: string, project: string): Promise<void> {
  await transaction.query(
    'update timeseries.retention_rule set pass_day = $2, finished_at = now() where project_id = $1',
    [project, day],
  );
}

/*
 * The statistics of samples count a local day exactly. Those of intervals count an interval on each day that it touches, but the
 * hours count it where it begins: whole UTC days and hours that are old on every clock, and the rows of the 36 hours that are old on some.
 */
const oldSamples = `
  select coalesce(sum(old.n), 0)::float8 as rows
  from timeseries.series s
  cross join lateral (
    select sum(n) as n from timeseries.sample_local_day
    where not s.is_interval and series_id = s.id and date < $2::date
    union all
    select (select coalesce(sum(n), 0) from timeseries.sample_day
        where series_id = s.id and bucket < $3::timestamptz - interval '24 hours')
      + (select coalesce(sum(n), 0) from timeseries.sample_hour
        where series_id = s.id and bucket >= $3::timestamptz - interval '24 hours'
          and bucket < $3::timestamptz - interval '18 hours')
      + (select count(*) from timeseries.interval_value
        where series_id = s.id and start_time >= $3::timestamptz - interval '18 hours'
          and start_time < $3::timestamptz + interval '18 hours'
          and start_time + zone_offset_minutes * interval '1 minute' < $3::timestamptz)
    where s.is_interval
  ) old
  where s.user_id = any($1::uuid[])`;

/** The number of samples and intervals of users before a local day, from statistics. */
export async function countOldSamples(
  database: Queryable,
  users: readonly string[],
  firstDay: string,
): Promise<number> {
  const values = [users, firstDay, `${firstDay}T00:00:00Z`];
  const [row] = await database.query<{ rows: number }>(oldSamples, values);
  return row?.rows ?? 0;
}

/** The number of events of users before a local day. */
export async function countOldEvents(
  database: Queryable,
  users: readonly string[],
  firstDay: string,
): Promise<number> {
  const [row] = await database.query<{ rows: number }>(
    `select count(*)::float8 as rows from timeseries.other_record
     where user_id = any($1::uuid[]) and local_date < $2::date`,
    [users, firstDay],
  );
  return row?.rows ?? 0;
}

/** Progress of a retention pass over all series. */
interface RetentionRow {
  /** A date, or `-infinity`. */
  kept_from: string;
  series_id: number;
  is_finished: boolean;
}

/**
 * Locks the pass for this transaction. The lock ends with the process. Undefined if another process holds it. A pass
 * with another border than `keptFrom` starts again.
 */
export async function claimRetention(
  transaction: Queryable,
  keptFrom: string,
): Promise<RetentionRow | undefined> {
  const [row] = await transaction.query<RetentionRow>(
    `select kept_from::text, series_id, finished_at is not null as is_finished
     from timeseries.retention for update skip locked`,
  );
  if (row === undefined || row.kept_from === keptFrom) return row;
  await transaction.query(
    'update timeseries.retention set kept_from = $1, series_id = 0, finished_at = null',
    [keptFrom],
  );
  return { kept_from: keptFrom, series_id: 0, is_finished: false };
}

/** Locks all passes for this transaction. Returns false if another process holds the lock. */
export async function lockRetention(transaction: Queryable): Promise<boolean> {
  return (await transaction.query('select from timeseries.retention for update skip locked')).length > 0;
}

/** Records that this series and all with smaller ids contain no expired samples. */
export async function passSeries(transaction: Queryable, seriesId: number): Promise<void> {
  await transaction.query('update timeseries.retention set series_id = $1', [seriesId]);
}

/** Records that a pass is done, unless a later one has begun. */
export async function finishRetention(database: Queryable, keptFrom: string): Promise<void> {
  await database.query('update timeseries.retention set finished_at = now() where kept_from = $1', [
    keptFrom,
  ]);
}

const most = 5000;

const isOldSlot = 'local_date < $1::date';

/** What goes with the samples of expired days, and how the rows of users are found. `$1`: the first local day that is kept. */
const expired = [
  {
    table: 'activity_block',
    change: 'delete from timeseries.activity_block',
    // A row contains samples of one UTC day. It is deleted if its last sample is on a local day before the border.
    isOld:
      "day < $1::date + 1 and (day + 1)::timestamp + zone_offset_minutes * interval '1 minute' <= $1::date",
    isOfUsers: 'user_id = any($2::uuid[])',
  },
  {
    table: 'other_instants',
    change: 'delete from timeseries.other_instants',
    isOld: 'day < $1::date - 1',
    isOfUsers: 'series_id in (select id from timeseries.series where user_id = any($2::uuid[]))',
  },
  {
    table: 'workout_track',
    change: 'delete from timeseries.workout_track',
    // Clocks differ from UTC by at most 18 hours.
    isOld: "end_time < $1::date - interval '18 hours'",
    isOfUsers:
      'workout_id in (select id from timeseries.workout where user_id = any($2::uuid[]) and start_time < $1::date)',
  },
  {
    table: 'epoch_part',
    change: 'update timeseries.epoch_part set superseded = null',
    isOld: `${isOldSlot} and superseded is not null`,
    isOfUsers: 'user_id = any($2::uuid[])',
  },
  {
    table: 'epoch_part',
    change: "update timeseries.epoch_part set vals = '{}'",
    isOld: `${isOldSlot} and vals <> '{}'`,
    isOfUsers: 'user_id = any($2::uuid[])',
  },
];

const events = {
  table: 'other_record',
  change: 'delete from timeseries.other_record',
  isOld: 'local_date < $1::date',
  isOfUsers: 'user_id = any($2::uuid[])',
};

/**
 * Deletes activity blocks, known instants, tracks and values of slots of expired samples in bounded parts, all or those of some users.
 * Returns whether those were all.
 */
export async function forgetExpired(
  transaction: Queryable,
  firstDay: string,
  users?: readonly string[],
): Promise<boolean> {
  let isAll = true;
  for (const rule of expired) isAll = (await forget(transaction, rule, firstDay, users)) && isAll;
  return isAll;
}

/** Deletes some events of users other than workouts and sleep before a local day. Returns whether those were all. */
export function forgetEvents(
  transaction: Queryable,
  firstDay: string,
  users: readonly string[],
): Promise<boolean> {
  return forget(transaction, events, firstDay, users);
}

async function forget(
  transaction: Queryable,
  { table, change, isOld, isOfUsers }: typeof events,
  firstDay: string,
  users: readonly string[] | undefined,
): Promise<boolean> {
  const isWanted = users === undefined ? isOld : `${isOld} and ${isOfUsers}`;
  const rows = await transaction.query(
    `${change} where ctid = any(array(
       select ctid from timeseries.${table} where ${isWanted} limit ${most} for update skip locked))
       and ${isOld} returning 1`,
    users === undefined ? [firstDay] : [firstDay, users],
  );
  return rows.length < most;
}
