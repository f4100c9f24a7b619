import {
  type ColumnName,
  type ColumnValue,
  columnList,
  columnsOf,
  type RecordKind,
} from '../../../domain/destinations/columns.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

/** Which records are read. All conditions hold; null leaves one out. */
interface RecordQuery {
  readonly kind: RecordKind;
  readonly project: string;
  readonly users: readonly string[] | null;
  readonly ids: readonly string[] | null;
  /**
   * The day of each of `users`, who may occur several times; without `users` one day. It is the UTC day of the start of workouts and sleep,
   * the local day of `day` and `score`, the UTC day of the creation of users.
   */
  readonly dates: readonly string[] | null;
}

/** A record: its values in the order of `columnsOf`, and the day under which it is found. */
export interface ReadRecord {
  readonly date: string;
  readonly values: readonly ColumnValue[];
}

/** The expressions of columns that are not a column `x` of the same name. */
type Sql<K extends RecordKind> = Readonly<Partial<Record<ColumnName<K>, string>>>;

const us = (column: string) => `(extract(epoch from ${column}) * 1000000)::float8`;
const reported = 'case when x.zone_reported then x.zone_offset_minutes end';
const span = { start_time: us('x.start_time'), end_time: us('x.end_time') } as const;

const workout: Sql<'workout'> = {
  ...span,
  zone_offset_minutes: reported,
  workout_type: 'x.type',
  local_date: 'x.local_date::text',
};
const sleep: Sql<'sleep'> = {
  ...span,
  zone_offset_minutes: reported,
  local_date: 'x.date::text',
  stage_intervals: 'x.stage_intervals::text',
};
const day: Sql<'day'> = {
  local_date: 'x.date::text',
  start_time: us('x.start_time'),
  values: 'x.vals::text',
};
const score: Sql<'score'> = { ...span, local_date: 'x.date::text', components: 'x.components::text' };
const user: Sql<'user'> = { user_id: 'x.id', created_at: us('x.created_at') };

/** The columns of `day` that totals have, and other values of the day have not. */
const totals = columnsOf.day
  .map(({ name }) => name)
  .filter((name) => columnsOf.day.some((one) => one.name === name && one.nullable))
  .filter((name) => name !== 'values' && name !== 'zone_offset_minutes');

/** A query of one user's rows: `p` is the user, `wanted.date` the day or null, `$3` ids or null. */
interface Source {
  readonly columns: Readonly<Partial<Record<string, string>>>;
  readonly date: string;
  readonly rows: string;
}

const utcDate = (column: string) => `(${column} at time zone 'UTC')::date`;
const ofId = (column = 'id') => `($3::uuid[] is null or ${column} = any($3))`;
// The bounds are conditions on the column of an index.
const inUtcDate = (
  column: string,
) => `${column} >= coalesce(wanted.date::timestamp at time zone 'UTC', '-infinity')
  and ${column} < coalesce((wanted.date + 1)::timestamp at time zone 'UTC', 'infinity')`;
const started = `user_id = p.id and ${inUtcDate('start_time')}`;
const dated = (alias = '') =>
  `${alias}user_id = p.id and ${alias}date >= coalesce(wanted.date, '-infinity') and ${alias}date <= coalesce(wanted.date, 'infinity')`;
const noTotals = totals.map((name) => `null as ${name}`).join(', ');
const ofDay = 'id, user_id, provider, device, date, start_time, duration_seconds, zone_offset_minutes';
const ofScore = 'user_id, provider, device';

const sources: Readonly<Record<RecordKind, Source>> = {
  workout: {
    columns: workout,
    date: utcDate('x.start_time'),
    rows: `select * from timeseries.workout where ${started} and ${ofId()}
      and deleted_at is null and duplicate_of is null and not is_parent`,
  },
  sleep: {
    columns: sleep,
    date: utcDate('x.start_time'),
    rows: `select * from timeseries.sleep_session where ${started} and ${ofId()}`,
  },
  day: {
    columns: day,
    date: 'x.date',
    rows: `select ${ofDay}, ${totals.join(', ')}, null::jsonb as vals from timeseries.provider_day where ${dated()} and ${ofId()}
      union all
      select ${ofDay}, ${noTotals}, vals from timeseries.day_value where ${dated()} and ${ofId()}`,
  },
  score: {
    columns: score,
    date: 'x.date',
    rows: `select id, ${ofScore}, kind, date, start_time, end_time, zone_offset_minutes, value, label, components
      from timeseries.score where ${dated()} and ${ofId()}
      union all
      select s.id, ${ofScore}, 'sleep', date, start_time, end_time, case when zone_reported then zone_offset_minutes end,
        v.value, v.label, v.components
      from timeseries.sleep_session s cross join lateral timeseries.score_of_sleep(s.score, s.details) v
      where ${dated('s.')} and ${ofId('s.id')}
      union all
      select timeseries.day_score_id(d.id, v.kind), ${ofScore}, v.kind, date, start_time,
        start_time + make_interval(secs => duration_seconds), zone_offset_minutes, v.value, v.label, v.components
      from timeseries.day_value d cross join lateral timeseries.scores_of_day(d.vals) v
      where ${dated('d.')} and ${ofId('timeseries.day_score_id(d.id, v.kind)')}`,
  },
  user: {
    columns: user,
    date: utcDate('x.created_at'),
    rows: `select p.id, p.external_user_id, p.time_zone, p.created_at
      where ${inUtcDate('p.created_at')} and ${ofId('p.id')}`,
  },
};

const rowsPerFetch = 5000;

/**
 * Reads the records of a project, user by user, in batches of at most 5,000. Deleted users have none. `snapshot` is in a transaction,
 * because a cursor is used.
 */
export async function readRecords(
  snapshot: Queryable,
  { kind, project, users, ids, dates }: RecordQuery,
  onBatch: (records: readonly ReadRecord[]) => Promise<void> | void,
  shownAs: (provider: string) => string,
): Promise<void> {
  const { columns, date, rows } = sources[kind];
  const names = columnList(kind).map(({ name }) => name);
  const list = names.map((name) => `${columns[name] ?? `x.${name}`} as "${name}"`).join(', ');
  // The day of all users is a constant to the planner.
  const wanted =
    users === null ? 'select $4::date as date' : 'select * from unnest($2::uuid[], $4::date[]) u (id, date)';
  await snapshot.query(
    `declare records no scroll cursor for
     select (${date})::text as partition_date, ${list}
     from (${wanted}) wanted join users.person p on ${users === null ? '$2::uuid[] is null' : 'p.id = wanted.id'}
     cross join lateral (${rows}) x
     where p.project_id = $1 and p.deleted_at is null`,
    [project, users, ids, users === null ? (dates?.[0] ?? null) : (dates ?? [])],
  );
  const shown = (row: Readonly<Record<string, ColumnValue>>, name: string): ColumnValue => {
    const value = row[name] ?? null;
    return name === 'provider' && typeof value === 'string' ? shownAs(value) : value;
  };
  for (let isFull = true; isFull; ) {
    const read = await snapshot.query<Record<string, ColumnValue>>(`fetch ${rowsPerFetch} from records`);
    const records = read.map((row) => ({
      date: String(row.partition_date),
      values: names.map((name) => shown(row, name)),
    }));
    if (records.length > 0) await onBatch(records);
    isFull = read.length === rowsPerFetch;
  }
  await snapshot.query('close records');
}

/** The place of a column in the values of a record. */
export function columnIndex<K extends RecordKind>(kind: K, name: ColumnName<K>): number {
  return columnsOf[kind].findIndex((one) => one.name === name);
}
