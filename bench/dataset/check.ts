import type pg from 'pg';

// Statistics are chosen by a hash of their key, so that a data set is always checked at the same places.
const chosen = (table: string, key: string) => `
  select * from timeseries.${table}
  where series_id in (select id from timeseries.series order by hashint8extended(id, $2) limit 8)
  order by hashint8extended(series_id, extract(epoch from ${key})::bigint # $2::bigint) limit $1`;

const hours = `
  select count(*)::int as checked, count(*) filter (where
    (h.n, h.min, h.max, h.last, h.last_ts, h.mask, h.n1, h.n5, h.n15) is distinct from
    (r.n, r.min, r.max, r.last, r.last_ts, r.mask, r.n1, r.n5, r.n15) or abs(h.sum - r.sum) > 1e-6 * abs(r.sum))::int as wrong
  from (${chosen('sample_hour', 'bucket')}) h
  cross join lateral (
    select count(*) as n, min(value), max(value), sum(value), max(ts) as last_ts,
      (array_agg(value order by ts desc))[1] as last,
      bit_or(1::bigint << extract(minute from ts at time zone 'UTC')::int) as mask,
      count(distinct date_trunc('minute', ts)) as n1,
      count(distinct floor(extract(epoch from ts) / 300)) as n5,
      count(distinct floor(extract(epoch from ts) / 900)) as n15
    from timeseries.sample where series_id = h.series_id and ts >= h.bucket and ts < h.bucket + interval '1 hour'
  ) r`;

const days = `
  select count(*)::int as checked, count(*) filter (where
    (d.n, d.n1, d.n5, d.n15, d.n60) is distinct from (r.n, r.n1, r.n5, r.n15, r.n60))::int as wrong
  from (${chosen('sample_day', 'bucket')}) d
  cross join lateral (
    select count(*) as n,
      count(distinct floor(extract(epoch from ts) / 60)) as n1, count(distinct floor(extract(epoch from ts) / 300)) as n5,
      count(distinct floor(extract(epoch from ts) / 900)) as n15, count(distinct floor(extract(epoch from ts) / 3600)) as n60
    from timeseries.sample where series_id = d.series_id and ts >= d.bucket and ts < d.bucket + interval '1 day'
  ) r`;

const localDays = `
  select count(*)::int as checked, count(*) filter (where
    (d.n, d.min, d.max) is distinct from (r.n, r.min, r.max) or abs(d.sum - r.sum) > 1e-6 * abs(r.sum))::int as wrong
  from (${chosen('sample_local_day', 'date::timestamp')}) d
  cross join lateral (
    select count(*) as n, min(value), max(value), sum(value)
    from timeseries.sample
    where series_id = d.series_id and ts > d.date - interval '1 day' and ts < d.date + interval '2 days'
      and (ts at time zone 'UTC' + zone_offset_minutes * interval '1 minute')::date = d.date
  ) r`;

/** The number of stored statistics that were compared with the samples. */
export interface Checked {
  readonly checked: number;
}

/** Compares stored statistics with a calculation from the samples. @throws Error if one differs */
export async function checkStatistics(pool: pg.Pool, most: number, salt: number): Promise<Checked> {
  let checked = 0;
  for (const [name, statement] of Object.entries({ hours, days, localDays })) {
    const { rows } = await pool.query<{ checked: number; wrong: number }>(statement, [most, salt]);
    const [found] = rows;
    if (found === undefined || found.checked === 0 || found.wrong > 0)
      throw new Error(`${found?.wrong ?? 0} of ${found?.checked ?? 0} statistics of ${name} are wrong`);
    checked += found.checked;
  }
  return { checked };
}
