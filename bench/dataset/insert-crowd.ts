import type pg from 'pg';
import { type SeriesType, seriesOf } from '../../domain/records/series.ts';
import { dayMs, isoTime } from '../../domain/time/time.ts';
import { databaseOf } from '../../mixins/database/database.ts';
import { upsertSeriesTypes } from '../../services/timeseries/tables/series.ts';
import { progressOf } from '../../stack/machine/progress.ts';
import { removeChangeLog } from '../webhooks/remove-change-log.ts';
import { source } from './insert-samples.ts';
import { crowdId, insertUsers } from './insert-users.ts';
import { seed, startMs } from './plan.ts';

/** The series of each user of a crowd. */
export const crowdTypes: readonly SeriesType[] = [
  'heart_rate',
  'steps',
  'energy',
  'distance_walking_running',
  'oxygen_saturation',
];
/** The samples of a series: an hour, one per five minutes. */
const samplesPerSeries = 12;
const everySeconds = 300;
const days = 365;

const series = `
  insert into timeseries.series (user_id, type_id, provider, device)
  select ${crowdId('n')}, type_id, $3, $4
  from generate_series($5::int, $6::int) n cross join unnest($2::smallint[]) type_id`;

/** The samples of the users whose number has the remainder of a day; each has an hour of that day. */
const samples = `
  insert into timeseries.sample (series_id, zone_offset_minutes, ts, value)
  select s.id, 0, t, 60 + (hashint8extended(extract(epoch from t)::bigint, s.id) & 63)
  from generate_series($2::int, $3::int, $4::int) n
  join timeseries.series s on s.user_id = ${crowdId('n')}
  cross join lateral (
    select $5::timestamptz + (hashint8extended(n, $1) & 15) * interval '1 hour' as begin
  ) h
  cross join generate_series(h.begin, h.begin + $6 * interval '1 second', $7 * interval '1 second') t`;

/** A user of a crowd with the day on which it has samples. */
export interface CrowdUser {
  readonly userId: string;
  readonly day: number;
}

/** The day of a user of a crowd, by its number. */
const dayOf = (number: number) => number % days;

const seriesPerStatement = 50_000;

/** Fills an empty database with users that have five series of an hour each, spread over a year. */
export async function insertCrowd(pool: pg.Pool, users: number, say: (line: string) => void): Promise<void> {
  await upsertSeriesTypes(databaseOf(pool));
  // An installation does not have to publish the changes of a bulk insert at once.
  const triggers = await removeChangeLog(pool);
  await insertUsers(pool, users, []);
  const typeIds = crowdTypes.map((type) => seriesOf(type).id);
  for (let from = 1; from <= users; from += seriesPerStatement) {
    const to = Math.min(users, from + seriesPerStatement - 1);
    await pool.query(series, [seed, typeIds, source.provider, source.device, from, to]);
  }
  const progress = progressOf('Building', 'days of samples', say);
  const lengthSeconds = (samplesPerSeries - 1) * everySeconds;
  for (let day = 0; day < days; day += 1) {
    const first = day === 0 ? days : day;
    const begin = isoTime(startMs + day * dayMs);
    await pool.query(samples, [seed, first, users, days, begin, lengthSeconds, everySeconds]);
    progress.update(day + 1, days);
  }
  progress.stop();
  for (const definition of triggers) await pool.query(definition);
}

/** Users of a crowd, spread evenly over it. */
export async function crowdUsers(pool: pg.Pool, users: number, count: number): Promise<CrowdUser[]> {
  const numbers = Array.from({ length: count }, (_, index) => 1 + Math.floor((index * (users - 1)) / count));
  const { rows } = await pool.query<{ id: string }>(
    `select ${crowdId('n')}::text as id from unnest($2::int[]) with ordinality u (n, at) where $1::bigint is not null order by at`,
    [seed, numbers],
  );
  return rows.map(({ id }, index) => ({ userId: id, day: dayOf(numbers[index] ?? 0) }));
}
