import { datesIn } from '../days.ts';
import type { Span } from '../life/plan.ts';
import type { Person } from '../people.ts';
import type { DevicemakerAccount, Portion } from '../store.ts';
import type { World } from '../world.ts';
import { addDays, instantOf } from '../zone.ts';
import { quarterOf } from './accounts.ts';
import { isOff } from './history.ts';
import { dataTypes } from './payloads.ts';

const sliceMs = 900_000;
/** Who is further behind than this is synchronised a few times a day instead of each quarter of an hour. */
const slicesMost = 8;

/** Sends what is new of everybody who is registered, up to the last full quarter of an hour. */
export function sendLive(world: World): void {
  for (const account of world.store.book.devicemaker_accounts)
    if (account.registered) sendLiveOf(world, account);
  world.store.touch();
}

function sendLiveOf(world: World, account: DevicemakerAccount): void {
  const person = world.person(account.person);
  const span = { startMs: account.live_ms, endMs: quarterOf(world.clock.nowMs()) };
  for (const sync of syncsIn(person, span)) {
    const portions = dataTypes
      .filter((type) => !isOff(world, account, type))
      .map((type): Portion => ({ account_id: account.account_id, type, ...sync }));
    if (portions.length > 0) world.outbox.add({ kind: 'data', portions });
    account.live_ms = sync.endMs;
  }
}

/** The times at which a device is synchronised in a span; one is never over a local midnight. */
export function syncsIn(person: Person, span: Span): Span[] {
  const everySlice = span.endMs - span.startMs <= slicesMost * sliceMs;
  const ends = datesIn(person, span).flatMap((date) => endsOf(person, date, everySlice));
  const inside = [...ends.filter((ms) => ms > span.startMs && ms < span.endMs), span.endMs];
  return inside
    .map((endMs, index) => ({ startMs: inside[index - 1] ?? span.startMs, endMs }))
    .filter(({ startMs, endMs }) => startMs < endMs);
}

function endsOf({ traits: { zone } }: Person, date: string, everySlice: boolean): number[] {
  const startMs = instantOf(zone, date, 0);
  const endMs = instantOf(zone, addDays(date, 1), 0);
  if (!everySlice) return [instantOf(zone, date, 12 * 60), instantOf(zone, date, 18 * 60), endMs];
  return Array.from({ length: (endMs - startMs) / sliceMs }, (_, index) => startMs + (index + 1) * sliceMs);
}
