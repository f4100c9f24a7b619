import {
  assumed,
  computed,
  decides,
  each,
  type FieldTable,
  kept,
  notKept,
} from '../../../domain/provider/field-table.ts';
import type { Point, Sum } from '../../../domain/recipe/draft.ts';
import { type Item, isItem, numberOf } from '../../../domain/recipe/read-fields.ts';
import { localMs } from '../../../domain/time/local-times.ts';
import { CalendarDate, dateToMs, minuteMs } from '../../../domain/time/time.ts';
import type { ElementTable } from '../archives.ts';
import { elementReader, measured } from '../elements.ts';
import { keyOf } from '../entry.ts';
import { device } from './nights.ts';
import type { Sessions } from './sessions.ts';

/** The values of a list by their local times, in the order of time. */
function pointsOf(list: unknown, date: unknown): Point[] {
  const points = (Array.isArray(list) ? list.filter(isItem) : []).flatMap(({ localTime, value }): Point[] => {
    const [ms, number] = [localMs(localTime, date), numberOf(value)];
    return ms === null || number === null ? [] : [[ms, number]];
  });
  return points.toSorted(([a], [b]) => a - b);
}

/** A count is that of the minute after its time, or of the time until the next one if that is shorter. */
function sumsOf(list: unknown, date: unknown): Sum[] {
  const points = pointsOf(list, date);
  return points.flatMap(([ms, value], index): Sum[] => {
    const end = Math.min(ms + minuteMs, points[index + 1]?.[0] ?? Number.POSITIVE_INFINITY);
    return value > 0 && end > ms ? [[ms, end, value]] : [];
  });
}

/** A day of `activity`. Its samples have times of the user's clock. */
export const dayFields: FieldTable = {
  date: kept(null, 'date', 'key'),
  'summary.stepCount': kept('count', 'day.steps'),
  'samples.steps': computed((steps, { date }) => sumsOf(steps, date), 'steps', 'series.steps'),
  'samples.mets': computed((mets, { date }) => pointsOf(mets, date), 'MET', 'series.average_met'),
  'summary.calories': notKept('no description says whether it is of the whole day', 'kcal'),
  ...assumed({
    'summary.stepsDistance': kept('m', 'day.distance_meters'),
    'samples.metSources': notKept('describes the device'),
    ...each(
      notKept('of the night, which has its own record'),
      'summary.sleepDuration',
      'summary.sleepQuality',
    ),
    ...each(
      notKept('no description says what it counts'),
      'summary.activityLevels',
      'summary.dailyMetMinutes',
    ),
    ...each(notKept('the times of the samples count'), 'summary.startTime', 'summary.endTime'),
    'summary.inactivityAlertCount': notKept('no series has alerts'),
    physicalInformation: notKept('typed by the user'),
    exportVersion: notKept('the form of the export'),
  }),
};

/** Reads a day. Its date is of the user's clock, whose midnight the store places. */
export const readDay = elementReader('polar_days', 'days', {
  device,
  fields: dayFields,
  // The current day grows: the one with the later last sample counts.
  supersede: 'longest',
  complete(draft, { samples }) {
    const { date, series = {}, day } = draft;
    if (date === undefined) return 'The day has no date.';
    if (day === undefined && Object.keys(series).length === 0) return 'The day has no values.';
    const { mets, steps } = isItem(samples) ? samples : {};
    const times = [mets, steps].flatMap((list) => pointsOf(list, date).at(-1)?.[0] ?? []);
    const start_time = dateToMs(date);
    return { ...draft, start_time, end_time: Math.max(start_time, ...times), isLocal: true };
  },
});

/** A fitness test. */
export const fitnessTestFields: FieldTable = {
  startTime: kept('local time', 'start_time'),
  ...assumed({
    'fitnessTestResult.ownIndex': computed(measured, 'ml/kg/min', 'series.vo2_max'),
    'fitnessTestResult.timezoneOffsetMinutes': kept('min', 'zone_offset'),
    'fitnessTestResult.averageHeartRate': notKept('of the test alone'),
    'fitnessTestResult.maximumHeartRate': notKept('typed by the user'),
    'fitnessTestResult.fitnessClass': notKept('a class of the index'),
    'fitnessTestResult.physicalInformation': notKept('typed by the user'),
    ...each(notKept('the time of the record at the provider'), 'created', 'modified'),
  }),
};

/** Reads a fitness test. */
export const readFitnessTest = elementReader('polar_fitness_test', 'vo2_max', {
  device,
  fields: fitnessTestFields,
});

/** The heart rates of a device on a day, of `247ohr`. */
export const heartRateFields: FieldTable = {
  date: decides(null, 'series.heart_rate', 'key'),
  deviceId: decides(null, 'key'),
  'samples[].heartRate': kept('bpm', 'series.heart_rate'),
  'samples[].secondsFromDayStart': kept('s', 'series.heart_rate'),
  ...assumed({ 'samples[].source': notKept('how the value was measured'), userId: notKept('the account') }),
};

/** The source of continuous heart rates, as at a connection: samples of sessions are of another series, so that none replaces another. */
const continuous = 'Polar continuous heart rate';

const minuteOf = (ms: number) => Math.floor(ms / minuteMs);

/**
 * The reader of heart rates. Those of a session count in its time. Of two devices of a member the first one counts in each minute: an
 * import that goes on does not read earlier members again.
 */
export function heartRateReader(sessions: Pick<Sessions, 'spansOn'>, nowMs: number): ElementTable['read'] {
  let member = '';
  const minutes = new Map<string, Set<number>>();
  const pointsOfDay = ({ date, samples }: Item): Point[] => {
    const day = CalendarDate.safeParse(date).data;
    if (day === undefined || !Array.isArray(samples)) return [];
    const [midnight, spans] = [dateToMs(day), sessions.spansOn(day)];
    const taken = minutes.get(day) ?? new Set();
    const points = samples.filter(isItem).flatMap(({ heartRate, secondsFromDayStart }): Point[] => {
      const [value, seconds] = [numberOf(heartRate), numberOf(secondsFromDayStart)];
      const ms = seconds === null ? Number.NaN : midnight + Math.round(seconds * 1000);
      const isOther = value === null || Number.isNaN(ms) || taken.has(minuteOf(ms));
      if (isOther || value <= 0 || spans.some(([from, to]) => ms >= from && ms <= to)) return [];
      return [[ms, value]];
    });
    minutes.set(day, new Set([...taken, ...points.map(([ms]) => minuteOf(ms))]));
    return points;
  };
  const read = elementReader('polar_heart_rate', 'heart_rate', {
    device: continuous,
    fields: heartRateFields,
    sampleItem: { key: ({ draft: { key = '' } }) => key, seconds: 0 },
    complete(draft, item) {
      const heart_rate = pointsOfDay(item);
      const [first] = heart_rate;
      if (first === undefined) return 'The day has no heart rates of its own.';
      const source = { device_type: 'unknown', device: continuous, device_id: null, app: null } as const;
      const midnight = dateToMs(String(item.date));
      const key = keyOf('heart_rate', source, { start_ms: midnight, end_ms: midnight }, item.deviceId);
      return { ...draft, key, start_time: midnight, isLocal: true, series: { heart_rate } };
    },
  });
  return (element, name) => {
    if (name !== member) minutes.clear();
    member = name;
    return read(element, nowMs);
  };
}
