import { type Item, isItem, numberOf } from '../../domain/recipe/read-fields.ts';
import { CalendarDate, dateToMs, dayMs, hourMs, isoTime, minuteMs } from '../../domain/time/time.ts';
import { midnightIn, offsetMinutesIn } from '../../domain/time/zone.ts';

/** Parts of a night, which some answers have as types of their own. */
const nightParts: ReadonlySet<string> = new Set([
  ...['bedtime_start', 'bedtime_end', 'sleep_stages', 'sleep_graph', 'sleep_score', 'total_sleep'],
  ...['sleep_efficiency', 'time_in_bed', 'rem_sleep', 'deep_sleep', 'light_sleep', 'restorative_sleep'],
  ...['temperature_deviation', 'movements', 'morning_alertness', 'full_sleep_cycles'],
  ...['tosses_and_turns', 'average_body_temperature'],
]);

/** A day with its types as members. None: it has no types. A type without an object has no data. */
function recordOf(date: unknown, entries: readonly unknown[], zone: unknown): Item[] {
  const types = entries
    .filter(isItem)
    .flatMap(({ type, object }) => (typeof type === 'string' && isItem(object) ? [{ type, object }] : []));
  if (types.length === 0) return [];
  const isOfNight = ({ type }: { readonly type: string }) => nightParts.has(type);
  const night = Object.assign(
    {},
    ...types.filter(({ type }) => type.toLowerCase() === 'sleep').map(({ object }) => object),
    ...types.filter(isOfNight).map(({ type, object }) => ({ [type]: object })),
  );
  const others = types.filter((one) => !isOfNight(one) && one.type.toLowerCase() !== 'sleep');
  return [
    {
      ...Object.fromEntries(others.map(({ type, object }) => [type, object])),
      ...(Object.keys(night).length === 0 ? {} : { sleep: night }),
      date,
      latest_time_zone: zone,
    },
  ];
}

/** The days of an answer, which has their types in a list, or in a list for each date. Null: it has neither. */
export function recordsOf(body: unknown, day: string | null): readonly Item[] | null {
  const data = isItem(body) ? body.data : null;
  if (!isItem(data)) return null;
  const { metric_data: list, metrics, latest_time_zone: zone = null } = data;
  if (Array.isArray(list)) return recordOf(day, list, zone);
  if (!isItem(metrics)) return null;
  return Object.entries(metrics).flatMap(([date, entries]) =>
    Array.isArray(entries) ? recordOf(date, entries, zone) : [],
  );
}

/** The clock of a day: its bounds and the offsets in it. Null: the answer does not say it. */
interface DayClock {
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly offsetAt: (ms: number) => number | null;
}

const dateOf = ({ date }: Item): string | null => CalendarDate.safeParse(date).data ?? null;
const after = (date: string): string => isoTime(dateToMs(date) + dayMs).slice(0, 10);

/** The offset of a day by its local midnight, which each type names. Null: none does, or it is none of a clock. */
function offsetAtMidnight(record: Item, date: string): number | null {
  const [seconds] = Object.values(record).flatMap((one) =>
    isItem(one) ? (numberOf(one.day_start_timestamp) ?? []) : [],
  );
  if (seconds === undefined) return null;
  const minutes = (dateToMs(date) - seconds * 1000) / minuteMs;
  return minutes % 15 === 0 && Math.abs(minutes) <= 14 * 60 ? minutes : null;
}

/**
 * The named zone is that of the newest day: an older day had it if its midnight says so. Otherwise the midnight of the day and of the
 * next one say the offsets; the clock is assumed to change before noon.
 */
function clockOf(record: Item, next: Item | undefined): DayClock {
  const date = dateOf(record);
  if (date === null) return { startMs: null, endMs: null, offsetAt: () => null };
  const offset = offsetAtMidnight(record, date);
  const zone = String(record.latest_time_zone);
  const zoneMs = midnightIn(zone, date);
  if (zoneMs !== null && (offset === null || offset === offsetMinutesIn(zone, zoneMs)))
    return {
      startMs: zoneMs,
      endMs: midnightIn(zone, after(date)),
      offsetAt: (ms) => offsetMinutesIn(zone, ms),
    };
  if (offset === null) return { startMs: null, endMs: null, offsetAt: () => null };
  const later = next === undefined ? offset : (offsetAtMidnight(next, after(date)) ?? offset);
  const startMs = dateToMs(date) - offset * minuteMs;
  return {
    startMs,
    endMs: dateToMs(after(date)) - later * minuteMs,
    offsetAt: (ms) => (ms < startMs + 12 * hourMs ? offset : later),
  };
}

/** The items of days: each day without its night, and its night. A night without times is a part of its day. */
export function itemsOfDays(records: readonly unknown[]): unknown[] {
  const days = records.filter(isItem);
  return days.flatMap((of) => {
    const date = dateOf(of);
    const next = date === null ? undefined : days.find((one) => one.date === after(date));
    const { sleep, ...day } = of;
    const isNight =
      isItem(sleep) && numberOf(sleep.bedtime_start) !== null && numberOf(sleep.bedtime_end) !== null;
    if (!isNight) return [{ ...of, of, next, item: date }];
    const { date: own, latest_time_zone } = day;
    const night = { date: own, latest_time_zone, sleep, of, next, item: `${date} night`, isNight };
    return [{ ...day, of, next, item: date }, night];
  });
}

/** The clock of the day of an item. */
export const clockOfItem = ({ of, next }: Item): DayClock =>
  clockOf(isItem(of) ? of : {}, isItem(next) ? next : undefined);
