import type { PressureReadings } from '../../../../domain/provider/facts.ts';
import { type SeriesType, seriesOf } from '../../../../domain/records/series.ts';
import { isoTime } from '../../../../domain/time/time.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';

const [systolic, diastolic] = ['blood_pressure_systolic', 'blood_pressure_diastolic'] as const;

/** The series types of a reading. */
export const pressureTypes: readonly SeriesType[] = [systolic, diastolic];

// A reading is two samples of one device at one instant. A single one is not a reading.
const statement = {
  name: 'timeseries-select-pressures',
  text: `
    select s.provider, (array_agg(s.device order by x.ts desc, s.device))[1] as device,
      (extract(epoch from max(x.ts)) * 1000)::float8 as at_ms, count(*)::int as reading_count,
      avg(x.systolic) as avg_systolic, avg(x.diastolic) as avg_diastolic, max(x.systolic) as max_systolic,
      max(x.diastolic) as max_diastolic, min(x.systolic) as min_systolic, min(x.diastolic) as min_diastolic
    from timeseries.series s
    join timeseries.series d on d.user_id = s.user_id and d.type_id = ${seriesOf(diastolic).id}
      and d.provider = s.provider and d.device = s.device
    cross join lateral (
      select a.ts, a.value as systolic, b.value as diastolic
      from timeseries.sample a join timeseries.sample b on b.series_id = d.id and b.ts = a.ts
      where a.series_id = s.id and a.ts >= $2 and a.ts <= $3 and b.ts >= $2 and b.ts <= $3
    ) x
    where s.user_id = $1 and s.type_id = ${seriesOf(systolic).id}
    group by s.provider`,
};

/** Blood pressures in [startMs, endMs], one row per provider. */
export function selectPressures(
  database: Queryable,
  userId: string,
  { startMs, endMs }: { startMs: number; endMs: number },
): Promise<PressureReadings[]> {
  const window = [isoTime(startMs), isoTime(endMs)];
  return database.query<PressureReadings>(statement, [userId, ...window]);
}
