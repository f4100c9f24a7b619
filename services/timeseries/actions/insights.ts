import type { StoredDayFacts } from '../../../contracts/timeseries/insight-facts.ts';
import { median } from '../../../domain/insights/statistics.ts';
import { type SeriesType, seriesById, seriesOf } from '../../../domain/records/series.ts';
import { dateToMs, dayMs, lastMs, minuteMs, type Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import {
  type FactRange,
  type MeanRow,
  type SessionRow,
  selectDayMeans,
  selectGlucose,
  selectSessions,
  selectSleepStageMeans,
  selectStepMinutes,
  selectWorkoutHearts,
} from '../tables/facts.ts';

const ofSleep: readonly SeriesType[] = [
  ...(['heart_rate_variability_rmssd', 'heart_rate_variability_sdnn', 'respiratory_rate'] as const),
  ...(['oxygen_saturation', 'skin_temperature', 'devicemaker_skin_temperature'] as const),
];
const ofDay: readonly SeriesType[] = [...ofSleep, 'resting_heart_rate', 'weight', 'vo2_max'];
const idsOf = (types: readonly SeriesType[]) => types.map((type) => seriesOf(type).id);

// A session that ends on a date begins on the day before it, and clocks differ by up to 18 hours from UTC.
const scannedOf = ({ first_date, last_date }: FactRange): Range => ({
  startMs: dateToMs(first_date) - 2 * dayMs,
  endMs: Math.min(dateToMs(last_date) + 2 * dayMs, lastMs),
});

/** What insights of local days are computed from. One statement for each kind, whatever the number of days. */
export async function readDayFacts(database: Queryable, range: FactRange): Promise<StoredDayFacts> {
  const scanned = scannedOf(range);
  const [sessions, nightMeans, dayMeans, workouts, stepMinutes] = await Promise.all([
    selectSessions(database, range),
    selectSleepStageMeans(database, range, idsOf(ofSleep), scanned),
    selectDayMeans(database, range, idsOf(ofDay)),
    selectWorkoutHearts(database, range, scanned),
    selectStepMinutes(database, range, scanned),
  ]);
  return {
    sessions: sessions.map(sessionOf),
    night_means: nightMeans.map(meanOf),
    day_means: dayMeans.map(meanOf),
    workouts: workouts.map(({ heart, ...workout }) => ({ ...workout, heart: heart ?? [] })),
    step_minutes: stepMinutes,
  };
}

function sessionOf({ stage_intervals, ...session }: SessionRow): StoredDayFacts['sessions'][number] {
  const hasStages = stage_intervals !== null && stage_intervals.length > 0;
  const awake = (stage_intervals ?? []).flatMap(([stage, first, last]): [number, number][] =>
    stage === 'awake' ? [[first, last]] : [],
  );
  return { ...session, awake: hasStages ? awake : null };
}

function meanOf({ type_id, ...row }: MeanRow): StoredDayFacts['day_means'][number] {
  return { ...row, type: seriesById(type_id).type };
}

/** The glucose values of local days, and the usual distance between them. */
export async function readGlucose(database: Queryable, range: FactRange) {
  const rows = await selectGlucose(database, range, scannedOf(range));
  const [first] = rows;
  const gaps = rows.slice(1).map((row, index) => (row.at_ms - (rows[index]?.at_ms ?? row.at_ms)) / minuteMs);
  return {
    source: first === undefined ? null : { provider: first.provider, device: first.device },
    every_minutes: gaps.length === 0 ? null : median(gaps),
    values: rows.map(({ value, minute }): [number, number] => [value, minute]),
  };
}
