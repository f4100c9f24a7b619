import type { StoreItem } from '../../domain/records/records.ts';
import { offsetMinutesIn } from '../../domain/time/zone.ts';
import type { Queryable } from '../../mixins/database/database.ts';
import { zoneOfUser } from '../../mixins/user-zone.ts';
import type { Call } from '../../runtime/environment.ts';
import { type ClockRow, selectClock } from './queries/select-clock.ts';

/** The offset from UTC, in minutes, of the user's clock at an instant. */
export type ClockAt = (ms: number) => number;

/** The clock of data without an offset: the latest known one, otherwise that of the user's zone, otherwise UTC. */
export function clockAt(known: ClockRow | null, timeZone: string | null): ClockAt {
  if (known !== null) return () => known.zone_offset_minutes;
  return (ms) => (timeZone === null ? 0 : (offsetMinutesIn(timeZone, ms) ?? 0));
}

/**
 * The zone of a user, if data without an offset is to be stored and no clock of the user is known. It is read before the
 * transaction, because users belong to another service.
 */
export async function zoneWithoutClock(
  { database, call }: { readonly database: Queryable; readonly call: Call },
  user_id: string,
  given: readonly { readonly zone_offset_minutes: number | null }[],
): Promise<string | null> {
  if (given.every(({ zone_offset_minutes }) => zone_offset_minutes !== null)) return null;
  if ((await selectClock(database, user_id)) !== undefined) return null;
  return zoneOfUser(call, user_id);
}

/** The offset of a user's clock: the latest known one, otherwise that of the user's zone. Null: neither is known. */
export async function knownClock(
  { database, call }: { readonly database: Queryable; readonly call: Call },
  user_id: string,
  ms: number,
): Promise<number | null> {
  const known = await selectClock(database, user_id);
  if (known !== undefined) return known.zone_offset_minutes;
  const zone = await zoneOfUser(call, user_id);
  return zone === null ? null : offsetMinutesIn(zone, ms);
}

/** The clock offset that an item reports in its records, otherwise in its samples. Null if it reports none. */
export function clockOf(item: StoreItem): ClockRow | null {
  const known = [...clocksIn(item), ...item.scores].flatMap(({ start_ms, zone_offset_minutes }) =>
    zone_offset_minutes === null ? [] : [{ start_ms, zone_offset_minutes }],
  );
  return known.reduce<ClockRow | null>(later, null);
}

/** The one of two clocks that was reported for the later instant. */
export function later(a: ClockRow | null, b: ClockRow | null): ClockRow | null {
  if (a === null || b === null) return a ?? b;
  return b.start_ms >= a.start_ms ? b : a;
}

/** The parts of items that are dated by their offset. */
export function datedParts(items: readonly StoreItem[]) {
  const days = items.flatMap(({ day_values, scores }) =>
    day_values === null ? scores : [day_values, ...scores],
  );
  return [...items.flatMap(clocksIn), ...days.filter(({ date }) => date === null)];
}

function clocksIn({ workout, day, sleeps, epoch, other, samples }: StoreItem) {
  const records = [workout, day, epoch, other, ...sleeps].filter((record) => record !== null);
  return [...records, ...samples.map((block) => ({ ...block, start_ms: block.base_ms }))];
}
