import type { Database } from '../../../mixins/database/database.ts';

// Written from scratch, not with the functions of the triggers.
const wanted = {
  hour: `
    select series_id || ' ' || floor(extract(epoch from ts) / 3600) as place, count(*)::int as n,
      sum(value) as sum, min(value) as min, max(value) as max, (array_agg(value order by ts desc))[1] as last,
      count(distinct floor(extract(epoch from ts) / 60))::int as n1,
      count(distinct floor(extract(epoch from ts) / 300))::int as n5,
      count(distinct floor(extract(epoch from ts) / 900))::int as n15,
      case when series_id in (select id from timeseries.series where type_id in (63, 64, 65))
        then sum(10 ^ (value / 10)) end as energy
    from timeseries.sample group by series_id, floor(extract(epoch from ts) / 3600)`,
  day: `
    select series_id || ' ' || floor(extract(epoch from ts) / 86400) as place, count(*)::int as n,
      count(distinct floor(extract(epoch from ts) / 60))::int as n1,
      count(distinct floor(extract(epoch from ts) / 300))::int as n5,
      count(distinct floor(extract(epoch from ts) / 900))::int as n15,
      count(distinct floor(extract(epoch from ts) / 3600))::int as n60
    from timeseries.sample group by series_id, floor(extract(epoch from ts) / 86400)`,
  local_day: `
    select series_id || ' ' || to_char(ts at time zone 'UTC' + make_interval(mins => zone_offset_minutes), 'YYYY-MM-DD') as place,
      count(*)::int as n, sum(value) as sum, min(value) as min, max(value) as max
    from timeseries.sample group by 1`,
};

const ofSamples = 'where series_id not in (select id from timeseries.series where is_interval)';

const kept = {
  hour: `select series_id || ' ' || floor(extract(epoch from bucket) / 3600) as place, n, sum, min, max, last, n1, n5,
    n15, energy from timeseries.sample_hour ${ofSamples}`,
  day: `select series_id || ' ' || floor(extract(epoch from bucket) / 86400) as place, n, n1, n5, n15, n60
    from timeseries.sample_day ${ofSamples}`,
  local_day: `select series_id || ' ' || to_char(date, 'YYYY-MM-DD') as place, n, sum, min, max
    from timeseries.sample_local_day ${ofSamples}`,
};

type Row = Readonly<Record<string, number | string | null>> & { readonly place: string };

/** The differences between stored statistics and the samples; empty if there are none. */
export async function wrongStatistics(database: Database): Promise<string[]> {
  const wrong: string[] = [];
  for (const table of ['hour', 'day', 'local_day'] as const) {
    const want = new Map((await database.query<Row>(wanted[table])).map((row) => [row.place, row]));
    const have = new Map((await database.query<Row>(kept[table])).map((row) => [row.place, row]));
    for (const place of new Set([...want.keys(), ...have.keys()])) {
      const [a, b] = [want.get(place), have.get(place)];
      if (a === undefined || b === undefined || !isSame(a, b))
        wrong.push(`${table} ${place}: ${JSON.stringify(a)} kept as ${JSON.stringify(b)}`);
    }
  }
  return wrong;
}

function isSame(a: Row, b: Row): boolean {
  return Object.keys(a).every((name) => {
    const [x, y] = [a[name] ?? null, b[name] ?? null];
    if (typeof x !== 'number' || typeof y !== 'number') return x === y;
    // Sums may differ in their last digit by the order of their terms. All other values must be equal.
    return name === 'sum' || name === 'energy' ? Math.abs(x - y) <= 1e-9 * Math.max(1, Math.abs(x)) : x === y;
  });
}
