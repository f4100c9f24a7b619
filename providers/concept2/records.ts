import { withoutNoise } from '../../domain/json/decimals.ts';
import {
  absentAs,
  assumed,
  decides,
  each,
  extra,
  type FieldTable,
  kept,
  like,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';
import { type Collection, pulledCollections } from '../../domain/recipe/collection.ts';
import type { Draft } from '../../domain/recipe/draft.ts';
import { lapOf } from '../../domain/recipe/laps.ts';
import { lastOfEach } from '../../domain/recipe/list-pass.ts';
import { offsetField } from '../../domain/recipe/offset-of-times.ts';
import { type Item, isItem, numberOf, valueAt } from '../../domain/recipe/read-fields.ts';
import { streamColumns, trackOf } from '../../domain/recipe/track-of.ts';
import { hourMs, parseInstant } from '../../domain/time/time.ts';
import { type LapRecord, mostLaps } from '../../domain/workouts/details.ts';
import { workoutTypeNamed } from '../../domain/workouts/sport-names.ts';

/*
 * Assumed, because the reference of the provider does not say it or other clients disagree: `date` is the end of the workout, as the
 * reference says, and not its start; a result of the page at midnight has no time; power follows from the pace by the formula of the
 * monitor, with the pace of the bike in place of that of 500 m; `wattminutes_total` is the work; `{}` is a list without results.
 */

const rowers: readonly unknown[] = ['rower', 'dynamic', 'slides', 'water'];
const withoutFlywheel: readonly unknown[] = ['water', 'snow', 'rollerski', 'paddle'];

/** A pace is the time of 500 m, on a bike of 1000 m. */
const metersPerSecond = (pace: number, machine: unknown): number | null =>
  pace > 0 ? withoutNoise((machine === 'bike' ? 1000 : 500) / pace) : null;

/** The power that a monitor shows for a speed. It sends none. The formula is that of rowing, with the pace of the bike in it. */
function wattsAt(speed: number | null, machine: unknown): number | null {
  if (speed === null || withoutFlywheel.includes(machine)) return null;
  return withoutNoise(2.8 * (machine === 'bike' ? speed / 2 : speed) ** 3);
}

/** A time of a clock, such as `2026-03-02 13:15:41`, as if it were in UTC. */
export const clockMs = (text: unknown): number | null =>
  typeof text === 'string' ? (parseInstant(text)?.ms ?? null) : null;

const listAt = (item: Item, ...path: readonly string[]): Item[] =>
  [valueAt(item, path)].flatMap((value) => (Array.isArray(value) ? value : [])).filter(isItem);
const tenths = (value: unknown): number => numberOf(value) ?? 0;
const lastsMs = ({ time, rest_time }: Item): number => 100 * (tenths(time) + tenths(rest_time));

/** Typed in on a page that asks for the day alone. */
const isTypedIn = ({ source, date }: Item): boolean => source === 'Web' && /00:00:00$/.test(String(date));

/**
 * `date` is the end of the workout, whose start follows from the time of its work and of its rests. Older results have no time in UTC,
 * and so no offset. One that was typed in has no time at all: it stands at noon of its day.
 */
function timesOf({ end_time }: Draft, item: Item): Pick<Draft, 'isLocal' | 'start_time' | 'end_time'> | null {
  const local = clockMs(item.date);
  if (local === null) return null;
  if (isTypedIn(item)) {
    const noonMs = local + 12 * hourMs;
    return { isLocal: true, start_time: noonMs, end_time: noonMs + lastsMs(item) };
  }
  const endMs = end_time ?? local;
  return { isLocal: end_time === undefined, start_time: endMs - lastsMs(item), end_time: endMs };
}

/** An interval or a split, with its start and the meters before it. */
interface Part {
  readonly startMs: number;
  readonly meters: number;
  readonly item: Item;
  readonly machine: unknown;
}

/** The parts of a workout. Each begins after the rest of the one before. */
function partsOf(items: readonly Item[], startMs: number, type: unknown): Part[] {
  let [ms, meters] = [startMs, 0];
  return items.map((item) => {
    const part = { startMs: ms, meters, item, machine: item.machine ?? type };
    ms += lastsMs(item);
    meters += numberOf(item.distance) ?? 0;
    return part;
  });
}

function lapOfPart({ startMs, item, machine }: Part): LapRecord {
  const lap = lapOf(part, item, startMs);
  return { ...lap, avg_power_watts: wattsAt(lap.avg_speed_meters_per_second, machine) };
}

/** The strokes of a workout on one axis. Their time and distance begin again at 0 in each interval. */
function strokesOf(strokes: readonly Item[], parts: readonly Part[]) {
  const { columns, put } = streamColumns();
  let [index, former, unplaced] = [0, 0, 0];
  for (const { t, d, p, spm, hr } of strokes) {
    const time = numberOf(t);
    if (time !== null && time < former) index += 1;
    former = time ?? former;
    const part = parts[index];
    if (time === null || part === undefined) {
      unplaced += 1;
      continue;
    }
    const ms = part.startMs + time * 100;
    const [decimeters, speed] = [numberOf(d), metersPerSecond(tenths(p) / 10, part.machine)];
    put('distance', ms, decimeters === null ? null : withoutNoise(part.meters + decimeters / 10));
    put('speed', ms, speed);
    put('power', ms, wattsAt(speed, part.machine));
    put('cadence', ms, numberOf(spm));
    put('heart_rate', ms, numberOf(hr));
  }
  return { track: trackOf(columns), rates: [...(columns.get('heart_rate') ?? [])], unplaced };
}

/** A workout with its times, its laps and its strokes. */
function complete(draft: Draft, item: Item): Draft | string {
  const times = timesOf(draft, item);
  if (times?.start_time === undefined) return 'unreadable';
  const intervals = partsOf(listAt(item, 'workout', 'intervals'), times.start_time, item.type);
  const splits = partsOf(listAt(item, 'workout', 'splits'), times.start_time, item.type);
  // Strokes do not begin again at a split.
  const whole = partsOf([item], times.start_time, item.type);
  const strokes = listAt(item, 'strokes', 'data');
  const { track, rates, unplaced } = strokesOf(strokes, intervals.length > 0 ? intervals : whole);
  const laps = (intervals.length > 0 ? intervals : splits).slice(0, mostLaps).map(lapOfPart);
  return {
    ...draft,
    ...times,
    duration_seconds: Math.round(lastsMs(item) / 1000),
    workout: {
      ...draft.workout,
      type: rowers.includes(item.type) ? 'rowing' : workoutTypeNamed(item.type),
      ...(isTypedIn(item) ? { manual: true } : {}),
    },
    laps: laps.length === 0 ? null : laps,
    ...(rates.length === 0 ? {} : { series: { heart_rate: rates } }),
    ...(track === null ? {} : { track }),
    ...(unplaced === 0 ? {} : { skipped: { time_out_of_range: unplaced } }),
  };
}

const rates = (table: FieldTable): FieldTable => under('heart_rate', absentAs([0], table));
const goals = notKept('what the user aimed at');

/** An interval or a split. */
const part: FieldTable = {
  time: kept('0.1 s', 'laps.duration_seconds', 'laps.moving_seconds'),
  distance: kept('m', 'laps.distance_meters'),
  stroke_rate: kept('strokes/min', 'laps.avg_cadence_rpm'),
  ...rates({
    average: kept('bpm', 'laps.avg_heart_rate_bpm'),
    max: kept('bpm', 'laps.max_heart_rate_bpm'),
    ...each(extra('bpm'), 'min', 'ending', 'rest', 'recovery'),
  }),
  calories_total: extra('kcal'),
  ...assumed({ wattminutes_total: extra('W·min') }),
  targets: goals,
};

/** Results by the day of the user's clock on which they end, so that a day around a span is listed as well. */
const activities: Collection = {
  scopes: ['results:read', 'results:write'],
  device: 'Concept2',
  longestSpanDays: 30,
  recentDays: 3,
  sweepDays: 30,
  ownsSamples: true,
  read: {
    path: '/api/users/me/results',
    query: { number: '250' },
    records: 'data',
    span: { start: 'from', end: 'to', form: 'date', beforeDays: 1, afterDays: 1 },
    page: { number: 'page', size: 250, pages: 'meta.pagination.total_pages' },
    isEmptyObject: true,
    detail: {
      path: ({ id }) => (id === undefined ? null : `/api/users/me/results/${encodeURIComponent(String(id))}`),
      query: { include: 'strokes' },
      record: 'data',
      keepsListed: true,
    },
  },
  join: lastOfEach('id'),
  complete,
  fields: {
    id: kept(null, 'key'),
    user_id: notKept('the account'),
    // The reference calls it the end of the workout; another client takes it for the start.
    date: offsetField({ utc: 'date_utc', stepMinutes: 15, equal: 'utc' }),
    date_utc: kept('ISO 8601', 'end_time', 'start_time'),
    timezone: notKept('`date` and `date_utc` have the offset'),
    type: kept(null, 'workout.raw_type', 'workout.type'),
    time: kept('0.1 s', 'workout.moving_seconds', 'duration_seconds'),
    rest_time: decides('0.1 s', 'start_time', 'duration_seconds'),
    distance: kept('m', 'workout.distance_meters'),
    calories_total: kept('kcal', 'workout.calories_kcal'),
    ...assumed({ wattminutes_total: kept('W·min', 'details.work_kilojoules') }),
    stroke_rate: kept('strokes/min', 'details.avg_cadence_rpm'),
    ...rates({
      average: kept('bpm', 'workout.avg_heart_rate_bpm'),
      max: kept('bpm', 'workout.max_heart_rate_bpm'),
      min: kept('bpm', 'details.min_heart_rate_bpm'),
      ...each(extra('bpm'), 'ending', 'recovery'),
    }),
    rest_distance: extra('m'),
    stroke_count: extra('count'),
    drag_factor: extra(),
    workout_type: like('JustRow', extra()),
    comments: like('Steady.', kept(null, 'details.description')),
    source: like('ErgData', kept(null, 'source', 'workout.manual')),
    time_formatted: notKept('`time` has it'),
    ...each(notKept('of competitions'), 'verified', 'verification_code', 'ranked', 'weight_class'),
    privacy: notKept('who sees the result at the provider'),
    metadata: notKept('versions and numbers of the monitor and of the phone'),
    ...assumed({ stroke_data: notKept('whether there are strokes') }),
    'workout.targets': goals,
    ...under('workout.splits[]', part),
    ...under('workout.intervals[]', {
      ...part,
      type: like('time', extra()),
      rest_time: decides('0.1 s', 'laps.start_ms'),
      rest_distance: extra('m'),
      machine: decides(null, 'laps.avg_power_watts'),
    }),
    ...under('strokes.data[]', {
      t: kept('0.1 s', 'streams.distance', 'streams.heart_rate'),
      d: kept('0.1 m', 'streams.distance'),
      p: kept('0.1 s/500 m', 'streams.speed', 'streams.power'),
      spm: kept('strokes/min', 'streams.cadence'),
      hr: kept('bpm', 'streams.heart_rate', 'series.heart_rate'),
    }),
  },
};

/** The kinds of data. */
export const collections = { activities } as const satisfies Readonly<Record<string, Collection>>;
/** How they are read. */
export const types = pulledCollections(collections);
