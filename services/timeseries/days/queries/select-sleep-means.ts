import type { Range } from '../../../../domain/time/time.ts';
import { isoTime } from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';

/** The mean of one series over the main sleep of a night. `place` is the index of the night in the request. */
export interface SleepMeanRow {
  place: number;
  type_id: number;
  device: string;
  n: number;
  mean: number;
}

/** A part of a night: whole hours, or a part of an hour. */
export interface NightPiece extends Range {
  readonly place: number;
  readonly user_id: string;
  readonly provider: string;
}

// Whole hours come from the statistics, the two ends of a session from samples: a night at 1 Hz reads about 9 hourly
// rows and at most 7,200 of its 28,800 samples.
const statement = {
  name: 'timeseries-select-sleep-means',
  text: `
    select place, type_id, device, sum(n)::float8 as n, sum(total) / sum(n) as mean from (
      select p.place, s.type_id, s.device, h.n, h.total
      from unnest($2::int[], $3::uuid[], $4::text[], $5::timestamptz[], $6::timestamptz[])
        p (place, user_id, provider, first, beyond)
      join timeseries.series s on s.user_id = p.user_id and s.type_id = any($1) and s.provider = p.provider
      cross join lateral (
        select sum(n) as n, sum(sum) as total from timeseries.sample_hour
        where series_id = s.id and bucket >= p.first and bucket < p.beyond
      ) h
      union all
      select p.place, s.type_id, s.device, x.n, x.total
      from unnest($7::int[], $8::uuid[], $9::text[], $10::timestamptz[], $11::timestamptz[])
        p (place, user_id, provider, first, beyond)
      join timeseries.series s on s.user_id = p.user_id and s.type_id = any($1) and s.provider = p.provider
      cross join lateral (
        select count(*) as n, sum(value) as total from timeseries.sample
        where series_id = s.id and ts >= p.first and ts < p.beyond and ts >= $12 and ts < $13
      ) x
    ) pieces
    where n > 0
    group by place, type_id, device`,
};

/** Means of the given types over nights that are cut into whole hours and edges. */
export async function selectSleepMeans(
  database: Queryable,
  typeIds: readonly number[],
  hours: readonly NightPiece[],
  edges: readonly NightPiece[],
): Promise<SleepMeanRow[]> {
  if (hours.length + edges.length === 0) return [];
  const first = Math.min(...edges.map(({ startMs }) => startMs), Date.UTC(9999, 0));
  const end = Math.max(...edges.map(({ endMs }) => endMs), 0);
  const values = [typeIds, ...columns(hours), ...columns(edges), isoTime(first), isoTime(end)];
  return database.query<SleepMeanRow>(statement, values);
}

function columns(pieces: readonly NightPiece[]): unknown[] {
  return [
    pieces.map(({ place }) => place),
    pieces.map(({ user_id }) => user_id),
    pieces.map(({ provider }) => provider),
    pieces.map(({ startMs }) => isoTime(startMs)),
    pieces.map(({ endMs }) => isoTime(endMs)),
  ];
}
