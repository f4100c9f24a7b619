import type pg from 'pg';
import { seriesOf } from '../../domain/records/series.ts';
import type { Cohort, SeriesPlan } from './plan.ts';

/** A cohort with the stored ids of its series. */
export interface StoredCohort extends Cohort {
  readonly ids: readonly number[];
}

/** The source of all synthetic samples. */
export const source = { provider: 'devicemaker', device: 'Bench 1' } as const;

/** Inserts the series of a cohort. */
export async function insertSeries(pool: pg.Pool, cohort: Cohort): Promise<StoredCohort> {
  const { rows } = await pool.query<{ id: number }>(
    `insert into timeseries.series (user_id, type_id, provider, device)
     select user_id, type_id, $3, $4 from unnest($1::uuid[], $2::smallint[]) with ordinality t (user_id, type_id, at)
     order by at returning id`,
    [columnOf(cohort, 'userId'), typeIdsOf(cohort.series), source.provider, source.device],
  );
  return { ...cohort, ids: rows.map(({ id }) => id) };
}

/**
 * Inserts the samples of a cohort in [from, to) with one statement. The triggers of the product compute the statistics,
 * as in production. A value is a hash of its time and its series.
 */
export async function insertSamples(
  pool: pg.Pool,
  cohort: StoredCohort,
  from: number,
  to: number,
): Promise<number> {
  const { rowCount } = await pool.query(
    `insert into timeseries.sample (series_id, zone_offset_minutes, ts, value)
     select s.id, $5, t, s.low + ((hashint8extended(extract(epoch from t)::bigint, s.salt) & 65535) * (s.high - s.low + 1) >> 16)
     from unnest($1::int[], $2::int[], $3::int[], $4::bigint[]) s (id, low, high, salt)
     cross join generate_series($6::timestamptz, $7::timestamptz - interval '1 ms', $8 * interval '1 second') t`,
    [
      cohort.ids,
      columnOf(cohort, 'low'),
      columnOf(cohort, 'high'),
      columnOf(cohort, 'salt'),
      cohort.zoneOffsetMinutes,
      new Date(from).toISOString(),
      new Date(to).toISOString(),
      cohort.everySeconds,
    ],
  );
  return rowCount ?? 0;
}

function columnOf<K extends keyof SeriesPlan>({ series }: Cohort, key: K): SeriesPlan[K][] {
  return series.map((one) => one[key]);
}

function typeIdsOf(series: readonly SeriesPlan[]): number[] {
  return series.map(({ type }) => seriesOf(type).id);
}
