import { assumed, type FieldTable, kept, notKept } from '../../../domain/provider/field-table.ts';
import { type Item, isItem, numberOf } from '../../../domain/recipe/read-fields.ts';
import { accepts } from '../../../domain/records/series.ts';
import { minuteMs } from '../../../domain/time/time.ts';
import { type Entry, keyOf, skipped, spanProblem } from '../entry.ts';
import { type DayClocks, device, offsetAt } from './entries.ts';
import { dateOf, offsetBetween, timeMs } from './times.ts';

/** An entry of `HydrationLogFile_*.json`. Entries of activities are estimates of sweat. */
export const hydrationFields: FieldTable = {
  valueInML: kept('mL', 'series.hydration'),
  hydrationSource: kept(null, 'series.hydration'),
  'uuid.uuid': kept(null, 'series.hydration'),
  timestampLocal: kept(null, 'start_time'),
  ...assumed({
    calendarDate: notKept('the day on which an entry can be taken back'),
    persistedTimestampGMT: kept(null, 'zone_offset'),
    estimatedSweatLossInML: notKept('an estimate of what was lost, and nothing that was drunk', 'mL'),
    activityId: notKept('only entries of activities have it'),
    capped: notKept('a flag of the estimate'),
    userProfilePK: notKept('the account'),
  }),
};

/** What was drunk at a time. */
interface Drink {
  readonly id: string | null;
  readonly item: Item;
  readonly date: string;
  readonly localMs: number;
  readonly milliliters: number;
}

const source = { device_type: 'manual', device, device_id: null, app: null } as const;

/**
 * Reads all entries of the log. A negative value takes back what was entered before on its day, the last of it first, because
 * intervals have no negative values.
 */
export function readHydration(items: readonly Item[], clocks: DayClocks, nowMs: number): Entry[] {
  const drinks = items.flatMap((item) => drinkOf(item) ?? []).toSorted((a, b) => a.localMs - b.localMs);
  const byDate = [...Map.groupBy(drinks, ({ date }) => date).values()];
  return byDate.flatMap((ofDate) => netOf(ofDate).map((drink) => entryOf(drink, clocks, nowMs)));
}

function drinkOf(item: Item): Drink | null {
  const milliliters = numberOf(item.valueInML);
  const localMs = timeMs(item.timestampLocal) ?? timeMs(item.calendarDate);
  if (item.hydrationSource !== 'GARMIN_GCM' || milliliters === null || localMs === null) return null;
  const id = isItem(item.uuid) ? item.uuid.uuid : item.uuid;
  const date = dateOf(item.calendarDate) ?? dateOf(localMs) ?? '';
  return { id: typeof id === 'string' ? id : null, item, date, localMs, milliliters };
}

function netOf(drinks: readonly Drink[]): Drink[] {
  const net: Drink[] = [];
  for (const drink of drinks) {
    if (drink.milliliters > 0) net.push(drink);
    for (let left = -drink.milliliters; left > 0; ) {
      const last = net.pop();
      if (last === undefined) break;
      if (last.milliliters > left) net.push({ ...last, milliliters: last.milliliters - left });
      left -= last.milliliters;
    }
  }
  return net;
}

function entryOf({ id, item, localMs, milliliters: value }: Drink, clocks: DayClocks, nowMs: number): Entry {
  // What is entered at once is stored in the same quarter of an hour, and names the offset if no day does.
  const offset =
    offsetAt(localMs, clocks) ?? offsetBetween(item.timestampLocal, item.persistedTimestampGMT) ?? 0;
  const ms = localMs - offset * minuteMs;
  const span = { start_ms: ms, end_ms: ms };
  const problem = spanProblem(span, nowMs);
  if (problem !== null) return skipped('hydration', problem);
  if (!accepts('hydration', value)) return skipped('hydration', 'The value is out of range.');
  const key = id ?? keyOf('hydration', source, span, null);
  const record = { ...span, id: `garmin ${key}`.slice(0, 300), zone_offset_minutes: offset, source, value };
  return { kind: 'record', record: { ...record, kind: 'interval', series: 'hydration' } };
}
