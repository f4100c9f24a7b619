import { ownValue } from '../../../domain/own-value.ts';
import { type FieldTable, kept } from '../../../domain/provider/field-table.ts';
import { type Item, isItem, numberOf } from '../../../domain/recipe/read-fields.ts';
import { accepts, seriesOf } from '../../../domain/records/series.ts';
import { dateToMs, dayMs, isoTime, minuteMs } from '../../../domain/time/time.ts';
import { isProblem, textOrNull } from '../../phone/normalise/item.ts';
import { type PhaseStage, phaseWithin } from '../../phone/normalise/sleep-phase.ts';
import { convert } from '../../phone/normalise/units.ts';
import type { DocumentContext, DocumentKind } from '../documents.ts';
import { elementReader } from '../elements.ts';
import { type Entry, skipped, spanProblem } from '../entry.ts';
import { mostPoints, type Point, readRecording } from '../recording.ts';
import { clockTimeIn, dayTotals, instantOf, measuredSeries, nightFields } from './fields.ts';

/**
 * An export of the app Health Auto Export, which reads the data of Apple Health: JSON, or a table with a column for each metric. It has
 * no ids of Apple Health, and values may be those of several devices together, so that nothing of it is an interval: sums become totals of
 * days, which are not added to what a phone or an export of Apple Health has for the same day.
 */
export const healthAutoExport: DocumentKind = {
  kind: 'health_auto_export',
  recognise(head) {
    if (/^\s*\{\s*"data"\s*:\s*\{/.test(head) && /"(metrics|workouts)"\s*:\s*\[/.test(head))
      return 'elements';
    const [line = ''] = head.split(/\r?\n/);
    return /^"?Date\/Time"?\s*[,;\t]/.test(line) && column.test(line.split(/[,;\t]/).at(-1) ?? '')
      ? 'rows'
      : null;
  },
  read(elements, context) {
    const documents = elements.flatMap((one) => (isItem(one) && isItem(one.data) ? [one.data] : []));
    if (documents.length === 0) return metricEntries(metricsOfRows(elements.filter(isItem)), context);
    return documents.flatMap(({ metrics, workouts }) => [
      ...metricEntries(itemsOf(metrics).flatMap(metricOf), context),
      ...itemsOf(workouts).map((workout) => workoutEntry(workout, context)),
    ]);
  },
};

const device = 'Health Auto Export';
const source = { device_type: 'unknown', device, device_id: null, app: null } as const;

const itemsOf = (list: unknown): Item[] => (Array.isArray(list) ? list.filter(isItem) : []);

interface Metric {
  readonly name: string;
  readonly unit: string | null;
  readonly points: readonly Item[];
}

const metricOf = ({ name, units, data }: Item): Metric[] =>
  typeof name === 'string' ? [{ name, unit: textOrNull(units, 60), points: itemsOf(data) }] : [];

/** `Heart Rate [Avg] (count/min)`. */
const column = /^\s*"?([^"[(]+?)(?: \[(.+?)\])? \((.+)\)"?\s*$/;

/** The metrics of a table. A name in it is that of JSON in words: `Walking + Running Distance`. */
function metricsOfRows(rows: readonly Item[]): Metric[] {
  const metrics = new Map<
    string,
    { name: string; unit: string | null; points: Map<unknown, Record<string, unknown>> }
  >();
  for (const { 'Date/Time': date, ...cells } of rows)
    for (const [header, cell] of Object.entries(cells)) {
      if (typeof cell !== 'string' || cell.trim() === '') continue;
      const [, words = header, part = 'qty', unit = null] = column.exec(header) ?? [];
      const name = words
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '_')
        .replaceAll(/^_|_$/g, '');
      const metric = metrics.get(name) ?? { name, unit, points: new Map() };
      metrics.set(name, metric);
      const point = metric.points.get(date) ?? { date };
      metric.points.set(date, point);
      point[/^(Avg|Min|Max|qty)$/.test(part) ? part : part.toLowerCase()] = cell.trim();
    }
  return [...metrics.values()].map(({ points, ...metric }) => ({ ...metric, points: [...points.values()] }));
}

/** What the points of sums are of, which the settings of the app decide. */
type Grouping = 'none' | 'parts' | 'days' | 'longer';

function groupingOf(metrics: readonly Metric[]): Grouping {
  const grouped = metrics.filter(({ name }) => name === 'heart_rate' || Object.hasOwn(dayTotals, name));
  const times = grouped.map(({ points }) => points.flatMap(({ date }) => clockTimeIn(date)?.localMs ?? []));
  if (times.flat().some((ms) => ms % minuteMs !== 0)) return 'none';
  if (times.flat().some((ms) => ms % dayMs !== 0)) return 'parts';
  const gaps = times.flatMap((own) => {
    const sorted = [...new Set(own)].toSorted((a, b) => a - b);
    return sorted.slice(1).map((ms, index) => ms - (sorted[index] ?? 0));
  });
  return gaps.length > 0 && gaps.every((gap) => gap >= 7 * dayMs) ? 'longer' : 'days';
}

function metricEntries(metrics: readonly Metric[], { nowMs }: DocumentContext): Entry[] {
  const grouping = groupingOf(metrics);
  const totals = new DayTotals();
  const entries = metrics.flatMap((metric): Entry[] => {
    const { name, points } = metric;
    if (name === 'sleep_analysis') return sleepEntries(metric, nowMs);
    if (grouping === 'longer')
      return [skipped(name, 'Values of weeks, months and years are not kept.', points.length)];
    const isDaily = grouping === 'days' && name === 'heart_rate';
    if (!isDaily && !Object.hasOwn(dayTotals, name)) return sampleEntries(metric, nowMs);
    // The devices of a walk would add up.
    if (grouping === 'none')
      return [skipped(name, 'Sums that are not grouped by a time are not kept.', points.length)];
    return points.flatMap((point) => totals.add(name, metric.unit, point, grouping) ?? []);
  });
  return [...entries, ...totals.entries(nowMs)];
}

const noTime = 'The time cannot be read.';
const noNumber = 'The value is not a number.';
const noUnit = 'The unit is not known for this type.';

const heartRates = {
  Avg: 'avg_heart_rate_bpm',
  Min: 'min_heart_rate_bpm',
  Max: 'max_heart_rate_bpm',
} as const;

const ofDay: FieldTable = {
  date: kept(null, 'date', 'key'),
  offset: kept('min', 'zone_offset'),
  steps: kept('count', 'day.steps'),
  distance_meters: kept('m', 'day.distance_meters'),
  floors_climbed: kept('count', 'day.floors_climbed'),
  active_calories_kcal: kept('kcal', 'day.active_calories_kcal'),
  basal_calories_kcal: kept('kcal', 'day.basal_calories_kcal'),
  avg_heart_rate_bpm: kept('bpm', 'day.avg_heart_rate_bpm'),
  min_heart_rate_bpm: kept('bpm', 'day.min_heart_rate_bpm'),
  max_heart_rate_bpm: kept('bpm', 'day.max_heart_rate_bpm'),
};

// The current day grows: of two exports the one with the later last value counts.
const readDay = elementReader('auto_export_days', 'days', {
  device,
  fields: ofDay,
  supersede: 'longest',
  complete: ({ date = '', ...draft }, { endMs }) => ({
    ...draft,
    date,
    start_time: dateToMs(date),
    end_time: Number(endMs),
    isLocal: true,
  }),
});

/** The days of the user's clock, with the sums of their points. */
class DayTotals {
  readonly #days = new Map<
    string,
    { offset: number | null; endMs: number; values: Record<string, number> }
  >();

  /** Adds a point. An entry: it is not kept. */
  add(name: string, unit: string | null, point: Item, grouping: Grouping): Entry | null {
    const at = clockTimeIn(point.date);
    if (at === null) return skipped(name, noTime);
    const date = isoTime(at.localMs).slice(0, 10);
    const day = this.#days.get(date) ?? { offset: at.offset, endMs: 0, values: {} };
    const total = dayTotals[name];
    if (total !== undefined) {
      const value = numberOf(point.qty);
      if (value === null) return skipped(name, noNumber);
      const converted = convert(value, unit, total.unit);
      if (converted === null) return skipped(name, noUnit);
      day.values[total.end] = (day.values[total.end] ?? 0) + converted;
    } else
      for (const [part, end] of Object.entries(heartRates)) {
        const value = numberOf(point[part]);
        if (value !== null && value > 0) day.values[end] = value;
      }
    day.endMs = Math.max(day.endMs, grouping === 'days' ? at.localMs + dayMs : at.localMs);
    this.#days.set(date, day);
    return null;
  }

  entries(nowMs: number): Entry[] {
    return [...this.#days].flatMap(([date, { values, ...day }]) =>
      readDay({ date, ...day, ...rounded(values) }, nowMs),
    );
  }
}

/** Parts of a sum have many decimals. */
const rounded = (values: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Math.round(value * 1000) / 1000]));

function sampleEntries({ name, unit, points }: Metric, nowMs: number): Entry[] {
  const parts = name === 'blood_pressure' ? ['systolic', 'diastolic'] : [null];
  return parts.flatMap((part): Entry[] => {
    const series = ownValue(measuredSeries, part === null ? name : `${name} ${part}`);
    if (series === undefined) return [skipped(name, 'Metrics of this kind are not kept.', points.length)];
    return points.map((point): Entry => {
      const [at, value] = [
        clockTimeIn(point.date),
        numberOf(part === null ? (point.Avg ?? point.qty) : point[part]),
      ];
      if (at === null) return skipped(series, noTime);
      if (value === null) return skipped(series, noNumber);
      const span = { start_ms: instantOf(at), end_ms: instantOf(at) };
      const problem = spanProblem(span, nowMs);
      if (problem !== null) return skipped(series, problem);
      const { min, max, unit: wanted } = seriesOf(series);
      const converted = convert(value, unit, wanted);
      if (converted === null) return skipped(series, noUnit);
      if (!accepts(series, converted)) return skipped(series, `The value is not ${min} to ${max}.`);
      const record = { ...span, id: '', kind: 'sample', series, value: converted, source } as const;
      const zone_offset_minutes = at.offset;
      return { kind: 'record', record: { ...record, zone_offset_minutes, is_local: at.offset === null } };
    });
  });
}

const readNight = elementReader('sleep', 'sleep', {
  device,
  fields: nightFields,
  complete(draft, { sleepStart, sleepEnd }) {
    const [start, end] = [clockTimeIn(sleepStart), clockTimeIn(sleepEnd)];
    if (start === null || end === null) return 'The night has no times.';
    const times = { start_time: instantOf(start), end_time: instantOf(end), isLocal: start.offset === null };
    const zone = start.offset === null ? {} : { zone_offset: start.offset };
    return { ...draft, ...times, ...zone, key: `auto export ${start.localMs}`, sleep: draft.sleep ?? {} };
  },
});

const stages: Readonly<Record<string, PhaseStage>> = {
  inbed: 'in_bed',
  asleep: 'asleep',
  unspecified: 'asleep',
  core: 'light',
  deep: 'deep',
  rem: 'rem',
  awake: 'awake',
};

function sleepEntries({ unit, points }: Metric, nowMs: number): Entry[] {
  if (unit !== 'hr') return [skipped('sleep', 'The unit of the sleep is not known.', points.length)];
  return points.flatMap((point): Entry[] => {
    if (point.value === undefined) return readNight(point, nowMs);
    const [start, end] = [clockTimeIn(point.startDate), clockTimeIn(point.endDate)];
    const stage = ownValue(stages, String(point.value).toLowerCase().replaceAll(/\W/g, ''));
    if (start === null || end === null || stage === undefined)
      return [skipped('sleep', 'The phase has no time or no known stage.')];
    const span = {
      id: '',
      start_ms: instantOf(start),
      end_ms: instantOf(end),
      zone_offset_minutes: start.offset,
    };
    const problem = spanProblem(span, nowMs);
    const phase = problem === null ? phaseWithin(span, { stage, source, score: null }) : null;
    if (phase === null || isProblem(phase)) return [skipped('sleep', problem ?? 'The phase has no length.')];
    return [{ kind: 'phase', phase }];
  });
}

/** A quantity with its unit; null without a value above 0. */
function quantityIn(value: unknown, wanted: string): number | null {
  const { qty, units } = isItem(value) ? value : {};
  const number = numberOf(qty);
  return number === null || number <= 0 ? null : convert(number, textOrNull(units, 60), wanted);
}

function workoutEntry(workout: Item, { nowMs, rules }: DocumentContext): Entry {
  const [start, end] = [clockTimeIn(workout.start), clockTimeIn(workout.end)];
  if (start === null || end === null) return skipped('workouts', 'The workout has no times.');
  const [start_ms, end_ms] = [instantOf(start), instantOf(end)];
  const isWithin = ({ ms }: Point) => ms >= start_ms && ms <= end_ms;
  const beats = itemsOf(workout.heartRateData).flatMap(({ date, Avg }): Point[] =>
    pointAt(date, { heart_rate: Avg }),
  );
  const way = itemsOf(workout.route).flatMap(({ timestamp, latitude, longitude, altitude }): Point[] =>
    pointAt(timestamp, { latitude, longitude, altitude }),
  );
  // The app sometimes has the heart rates after the workout in their place, and their mean and maximum.
  const isAfter = beats.length > 0 && beats.every(({ ms }) => ms >= end_ms);
  const beat = (value: unknown) => (isAfter ? null : quantityIn(value, 'bpm'));
  const recording = {
    sport: textOrNull(workout.name, 100)?.toLowerCase() ?? 'other',
    name: null,
    device,
    start_ms,
    end_ms,
    zone_offset_minutes: start.offset,
    totals: {
      calories_kcal: quantityIn(workout.activeEnergyBurned, 'kcal'),
      distance_meters: quantityIn(workout.distance, 'meters'),
      elevation_gain_meters: quantityIn(workout.elevationUp, 'meters'),
      avg_heart_rate_bpm: beat(workout.avgHeartRate),
      max_heart_rate_bpm: beat(workout.maxHeartRate),
    },
    details: typeof workout.isIndoor === 'boolean' ? { indoor: workout.isIndoor } : {},
    laps: [],
    points: togetherAt([...(isAfter ? [] : beats), ...way])
      .filter(isWithin)
      .slice(0, mostPoints),
  };
  return readRecording(recording, rules, nowMs);
}

/** What was measured at one instant is one point. */
function togetherAt(points: readonly Point[]): Point[] {
  const byTime = new Map<number, Point>();
  for (const point of points) byTime.set(point.ms, { ...byTime.get(point.ms), ...point });
  return [...byTime.values()];
}

function pointAt(
  time: unknown,
  values: Readonly<Partial<Record<'heart_rate' | 'latitude' | 'longitude' | 'altitude', unknown>>>,
): Point[] {
  const at = clockTimeIn(time);
  const measured = Object.entries(values).filter(([, value]) => typeof value === 'number');
  return at === null || measured.length === 0 ? [] : [{ ms: instantOf(at), ...Object.fromEntries(measured) }];
}
