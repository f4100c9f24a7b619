import { type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import type { IntervalSeriesRow } from './queries/select-interval-series.ts';
import type { OwnTotalRow } from './queries/select-own-totals.ts';
import { type RankedInterval, type Segment, segmentsOf } from './segments.ts';

/*
 * A provider with an own total of a field on a day takes part in that day with its total, so its intervals are left out
 * of the cut of that day.
 */

/** Intervals of one type, and the segments of all of them. */
export interface DayCut {
  readonly intervals: readonly RankedInterval[];
  readonly segments: readonly Segment<RankedInterval>[];
}

/** Days that are cut alike. */
export interface CutOfDays {
  readonly segments: readonly Segment<RankedInterval>[];
  readonly isCounted: (day: number) => boolean;
}

/** How the days of a type are cut: without the intervals of providers that have totals of them. */
export function cutsOfDays(
  { typeId, series }: { readonly typeId: number; readonly series: readonly IntervalSeriesRow[] },
  cut: DayCut,
  totals: readonly OwnTotalRow[],
  days: readonly number[],
): CutOfDays[] {
  const field = fieldOf.get(typeId);
  const withTotal = field === undefined ? [] : totals.filter((row) => row[field]);
  if (withTotal.length === 0) return [{ segments: cut.segments, isCounted: () => true }];
  const providerOf = new Map(series.map(({ id, provider }) => [id, provider]));
  return [...Map.groupBy(days, (day) => providersOn(withTotal, day))].map(([names, alike]) => {
    const out = new Set(names.split('\n'));
    const taking = cut.intervals.filter(({ series_id }) => !out.has(providerOf.get(series_id) ?? ''));
    const counted = new Set(alike);
    return { segments: segmentsOf(taking), isCounted: (day) => counted.has(day) };
  });
}

function providersOn(totals: readonly OwnTotalRow[], day: number): string {
  return totals
    .filter((row) => row.day === day)
    .map(({ provider }) => provider)
    .sort()
    .join('\n');
}

type TotalField = Exclude<keyof OwnTotalRow, 'provider' | 'day'>;

const fields: readonly (readonly [SeriesType, TotalField])[] = [
  ['steps', 'steps'],
  ['distance_walking_running', 'distance_meters'],
  ['distance_cycling', 'distance_meters'],
  ['distance_swimming', 'distance_meters'],
  ['distance_downhill_snow_sports', 'distance_meters'],
  ['distance_other', 'distance_meters'],
  ['flights_climbed', 'floors_climbed'],
  ['exercise_time', 'active_seconds'],
  ['energy', 'active_calories_kcal'],
  ['basal_energy', 'basal_calories_kcal'],
];

const fieldOf: ReadonlyMap<number, TotalField> = new Map(
  fields.map(([type, field]) => [seriesOf(type).id, field]),
);

/** The types of the fields of a day. */
export const fieldTypes: readonly number[] = [...fieldOf.keys()];
