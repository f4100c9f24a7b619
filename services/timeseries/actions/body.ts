import type { timeseries } from '../../../contracts/timeseries.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import type { BodyFacts, LatestValue, PeriodMean } from '../../../domain/provider/facts.ts';
import { type SeriesType, seriesById, seriesOf } from '../../../domain/records/series.ts';
import { dateToMs, dayMs, hourMs, localDate, minuteMs } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import {
  type BodySeriesRow,
  pressureTypes,
  type ReadingRow,
  selectBodySeries,
  selectPressures,
  selectReadings,
} from '../tables/body.ts';
import { selectNewestClock } from '../tables/clocks.ts';
import { activityTypes } from '../tables/days.ts';

const slowTypes: readonly SeriesType[] = [
  'weight',
  'height',
  'body_fat_percentage',
  'skeletal_muscle_mass',
  'body_mass_index',
];
const averagedTypes: readonly SeriesType[] = ['resting_heart_rate', 'heart_rate_variability_sdnn'];
const readTypes: readonly SeriesType[] = ['body_temperature', 'skin_temperature'];

/** The series types that a body summary is computed from. */
const bodyTypes: readonly SeriesType[] = [...slowTypes, ...averagedTypes, ...readTypes, ...pressureTypes];
const idsOf = (types: readonly SeriesType[]) => types.map((type) => seriesOf(type).id);

/**
 * The stored values of a body. Today's date is that of the latest reported clock of the user, otherwise that of UTC.
 */
export async function readBody(
  database: Queryable,
  query: ParamsOf<typeof timeseries, 'bodyFacts'>,
): Promise<BodyFacts> {
  const { user_id, now_ms } = query;
  const period = periodOf(now_ms, query.period_days, (await selectNewestClock(database, user_id)) ?? 0);
  const window = { startMs: now_ms - query.window_hours * hourMs, endMs: now_ms };
  const types = idsOf([...slowTypes, ...averagedTypes]);
  const [series, readings, pressures] = await Promise.all([
    selectBodySeries(database, user_id, types, period),
    selectReadings(database, user_id, idsOf(readTypes), window),
    selectPressures(database, user_id, window),
  ]);
  return {
    period_start_ms: period.startMs,
    period_end_ms: period.endMs,
    slow: newest(series.filter(({ type_id }) => idsOf(slowTypes).includes(type_id))),
    means: meansOf(series),
    readings: newest(readings),
    pressures,
  };
}

function periodOf(nowMs: number, days: number, offsetMinutes: number) {
  const todayMs = dateToMs(localDate(nowMs, offsetMinutes));
  const [first, end] = [todayMs - (days - 1) * dayMs, todayMs + dayMs];
  const utcOf = (localMs: number) => localMs - offsetMinutes * minuteMs;
  return {
    firstDate: localDate(first, 0),
    endDate: localDate(end, 0),
    startMs: utcOf(first),
    endMs: utcOf(end),
  };
}

/** The newest value of several devices of a provider. */
function newest(rows: readonly ReadingRow[]): LatestValue[] {
  return onePerProvider(rows, (a, b) => b.at_ms - a.at_ms).map(
    ({ type_id, provider, device, value, at_ms }) => {
      return { type: seriesById(type_id).type, provider, device, value, at_ms };
    },
  );
}

function meansOf(series: readonly BodySeriesRow[]): PeriodMean[] {
  const averaged = series.filter(({ type_id, n }) => n > 0 && idsOf(averagedTypes).includes(type_id));
  return onePerProvider(averaged, (a, b) => b.n - a.n).flatMap(
    ({ type_id, provider, device, mean, at_ms }) =>
      mean === null ? [] : [{ type: seriesById(type_id).type, provider, device, mean, at_ms }],
  );
}

function onePerProvider<Row extends { type_id: number; provider: string; device: string }>(
  rows: readonly Row[],
  order: (a: Row, b: Row) => number,
): Row[] {
  const sorted = rows.toSorted((a, b) => order(a, b) || (a.device < b.device ? -1 : 1));
  const groups = Map.groupBy(sorted, ({ type_id, provider }) => `${type_id} ${provider}`);
  return [...groups.values()].flatMap(([first]) => first ?? []);
}

/** The series types that each summary is computed from. */
export const summaryTypes: Readonly<Record<string, readonly SeriesType[]>> = {
  activity_summary: activityTypes,
  body: bodyTypes,
};
