import type { Observed } from '../../../contracts/timeseries/observed.ts';
import { shortId } from '../../../domain/fhir/ids.ts';
import { codeOf, dayMeasures, keysOf, sleepStages, workoutMeasures } from '../../../domain/fhir/observed.ts';
import { type RasterSample, rasterOf } from '../../../domain/fhir/raster.ts';
import { sampleSource } from '../../../domain/records/recording-method.ts';
import { seriesById } from '../../../domain/records/series.ts';
import { dateToMs, hourMs, lastMs, localDate, minuteMs } from '../../../domain/time/time.ts';
import type { Settings } from '../rules/sources.ts';
import type { DaySamples, ObservedRecord, ObservedScope } from '../tables/fhir-observations.ts';
import type { SeriesRow } from '../tables/series.ts';

/** The observations of a record: one of a sleep, one or more of a workout, one for each total of a day. */
export function itemsOfRecord(record: ObservedRecord, scope: ObservedScope, settings: Settings): Observed[] {
  const shared = sharedOf(record, settings);
  if (record.kind === 'sleep') return [sleepItem(record, shared)];
  return record.kind === 'workout' ? workoutItems(record, shared, scope) : dayItems(record, shared, scope);
}

type Shared = Omit<Observed, 'name' | 'key'>;

function sharedOf(
  { date, start_ms, end_ms, zone_offset_minutes, provider, device }: ObservedRecord,
  settings: Settings,
): Shared {
  const source = { provider: settings.shownAs(provider), device };
  return { date, start_ms, end_ms, zone_offset_minutes, source, value: null, raster: null, fields: null };
}

function sleepItem({ id, columns }: ObservedRecord, shared: Shared): Observed {
  const stages = keysOf(sleepStages).map((name) => [name, columns[sleepStages[name]] ?? null] as const);
  const fields = { ...Object.fromEntries(stages), sleep_is_nap: columns.is_nap ?? null };
  return {
    ...shared,
    name: 'sleep',
    key: `n.${shortId(id)}`,
    value: numberOf(columns.asleep_seconds),
    fields,
  };
}

function workoutItems(
  { id, columns }: ObservedRecord,
  shared: Shared,
  { workouts }: ObservedScope,
): Observed[] {
  const keyOf = (name: keyof typeof suffixes) => `w.${shortId(id)}.${suffixes[name]}`;
  const measures = keysOf(workoutMeasures).filter((name) => columns[workoutMeasures[name]] !== null);
  const members = ['workout_activity' as const, ...measures].map((name) => [name, keyOf(name)]);
  const kind = { type: columns.type ?? null, name: columns.name ?? null };
  const fieldsOf = { workout: Object.fromEntries(members), workout_activity: kind };
  return [
    ...keysOf(fieldsOf).map((name) => ({ ...shared, name, key: keyOf(name), fields: fieldsOf[name] })),
    ...measures.map((name) => ({
      ...shared,
      name,
      key: keyOf(name),
      value: numberOf(columns[workoutMeasures[name]]),
    })),
  ].filter(({ name }) => workouts.some((wanted) => wanted === name));
}

/** The end of a key. A name keeps its number for ever. */
const suffixes = {
  workout: 0,
  workout_activity: 1,
  workout_duration: 2,
  workout_calories: 3,
  workout_avg_heart_rate: 4,
  workout_max_heart_rate: 5,
  workout_steps: 6,
  workout_distance: 7,
  workout_elevation_gain: 8,
} as const;

function dayItems({ id, columns }: ObservedRecord, shared: Shared, { days }: ObservedScope): Observed[] {
  return days
    .filter((name) => columns[dayMeasures[name]] !== null)
    .map((name) => {
      const key = `t.${shortId(id)}.${daySuffixes[name]}`;
      return { ...shared, name, key, value: numberOf(columns[dayMeasures[name]]) };
    });
}

const daySuffixes = {
  day_steps: 0,
  day_distance: 1,
  day_floors: 2,
  day_active_time: 3,
  day_moderate_time: 4,
  day_vigorous_time: 5,
  day_active_calories: 6,
  day_basal_calories: 7,
  day_avg_heart_rate: 8,
  day_min_heart_rate: 9,
  day_max_heart_rate: 10,
  day_pushes: 11,
  day_consumed_calories: 12,
} as const satisfies Record<keyof typeof dayMeasures, number>;

const numberOf = (value: unknown) => (typeof value === 'number' ? value : null);

/** A day with more samples of a series is cut at its local hours, so that an Observation stays small. */
const mostOfDay = 7200;

interface Sample extends RasterSample {
  readonly at: number;
  readonly zone: number;
}

/** The series of a user's samples, and how a provider is shown. */
interface SampleContext {
  readonly series: ReadonlyMap<number, SeriesRow>;
  readonly settings: Settings;
}

/** The observations of the samples of a local day: one for a day on a raster, otherwise one for each sample. */
export function itemsOfSamples(days: readonly DaySamples[], context: SampleContext): Observed[] {
  const pressures = days.filter((day) => isPressure(typeOf(day, context)));
  return [
    ...days.filter((day) => !pressures.includes(day)).flatMap((day) => itemsOfDay(day, context)),
    ...pressureItems(pressures, context),
  ];
}

const isPressure = (type: string) =>
  type === 'blood_pressure_systolic' || type === 'blood_pressure_diastolic';

function typeOf({ series_id }: DaySamples, context: SampleContext) {
  return seriesById(rowOf(series_id, context).type_id).type;
}

function rowOf(id: number, { series }: SampleContext): SeriesRow {
  const row = series.get(id);
  if (row === undefined) throw new Error('samples of a series that was not read');
  return row;
}

function samplesOf({ at, ends, values, zones }: DaySamples): Sample[] {
  return at.map((micros, index) => ({
    at: micros,
    startMs: Math.floor(micros / 1000),
    endMs: ends === null ? null : Math.floor((ends[index] ?? micros) / 1000),
    value: values[index] ?? 0,
    zone: zones[index] ?? 0,
  }));
}

function itemsOfDay(day: DaySamples, context: SampleContext): Observed[] {
  const samples = samplesOf(day);
  if (samples.length <= mostOfDay) {
    const key = `d${day.series_id}.${day.date.replaceAll('-', '')}`;
    return itemsOfPart(day, samples, key, context);
  }
  const hours = Map.groupBy(samples, ({ startMs, zone }) => Math.floor((startMs + zone * minuteMs) / hourMs));
  return [...hours].flatMap(([hour, part]) => itemsOfPart(day, part, `h${day.series_id}.${hour}`, context));
}

function itemsOfPart(
  { series_id, date }: DaySamples,
  samples: readonly Sample[],
  key: string,
  context: SampleContext,
): Observed[] {
  const row = rowOf(series_id, context);
  const { type } = seriesById(row.type_id);
  if (type === 'blood_pressure_systolic' || type === 'blood_pressure_diastolic') return [];
  const shared = { name: type, date, ...sourceOf(row, context), fields: null };
  const raster = rasterOf(samples, codeOf(type).factor);
  const [first] = samples;
  if (raster !== null && first !== undefined) {
    const last = samples.at(-1) ?? first;
    const span = { start_ms: first.startMs, end_ms: last.endMs ?? last.startMs };
    return [{ ...shared, key, ...span, zone_offset_minutes: first.zone, value: null, raster }];
  }
  return samples.map(({ at, startMs, endMs, value, zone }) => ({
    ...shared,
    key: `v${series_id}.${at}`,
    start_ms: startMs,
    end_ms: endMs,
    zone_offset_minutes: zone,
    value,
    raster: null,
  }));
}

function sourceOf({ provider, device }: SeriesRow, { settings }: SampleContext) {
  return sampleSource(settings.shownAs(provider), device);
}

/** Both pressures of one source at one instant are a panel. */
function pressureItems(days: readonly DaySamples[], context: SampleContext): Observed[] {
  const readings = days.flatMap((day) => samplesOf(day).map((sample) => ({ day, sample })));
  const groups = Map.groupBy(readings, ({ day, sample }) => {
    const { provider, device } = rowOf(day.series_id, context);
    return JSON.stringify([provider, device, sample.startMs]);
  });
  return [...groups.values()].flatMap((group) => panelsOf(group, context));
}

interface Reading {
  readonly day: DaySamples;
  readonly sample: Sample;
}

function panelsOf(group: readonly Reading[], context: SampleContext): Observed[] {
  const [first, second] = group;
  if (first === undefined) return [];
  const types = group.map(({ day }) => typeOf(day, context));
  const isPair = second !== undefined && group.length === 2 && types[0] !== types[1];
  const panels = isPair ? [group] : group.map((reading) => [reading]);
  return panels.map((readings) => {
    const [{ day, sample } = first] = readings;
    const fields = readings.map((reading) => [typeOf(reading.day, context), reading.sample.value] as const);
    return {
      name: 'blood_pressure' as const,
      key: `v${day.series_id}.${sample.at}`,
      date: day.date,
      start_ms: sample.startMs,
      end_ms: sample.endMs,
      zone_offset_minutes: sample.zone,
      ...sourceOf(rowOf(day.series_id, context), context),
      value: null,
      raster: null,
      fields: Object.fromEntries(fields),
    };
  });
}

/** The local day of an hour in a key; null if it is beyond the calendar. */
export function dateOfHour(hour: number): string | null {
  return hour * hourMs > lastMs ? null : localDate(hour * hourMs, 0);
}

/** The local day of eight digits in a key; null if there is no such day. */
export function dateOfDigits(digits: string): string | null {
  const date = digits.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  return Number.isNaN(dateToMs(date)) ? null : date;
}
