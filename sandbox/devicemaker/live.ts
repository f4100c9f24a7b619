import { quarterOf, sliceMs } from '../clock.ts';
import { datesIn } from '../days.ts';
import type { Span } from '../life/plan.ts';
import type { Person } from '../people.ts';
import { addDays, instantOf } from '../zone.ts';
import { isOff } from './history.ts';
import { dataTypes } from './payloads.ts';
import type { DevicemakerAccount, DevicemakerWorld, Portion } from './state.ts';

/** A device that is further behind is synchronised a few times a day instead of each quarter of an hour. */
const slicesMost = 8;

/** Sends the new data of all registered accounts, up to the last full quarter of an hour. */
export function sendLive(world: DevicemakerWorld): void {
  for (const account of world.own.devicemaker_accounts) if (account.registered) sendLiveOf(world, account);
  world.store.touch();
}

function sendLiveOf(world: DevicemakerWorld, account: DevicemakerAccount): void {
  const person = world.person(account.person);
  const span = { startMs: account.live_ms, endMs: quarterOf(world.clock.nowMs()) };
  for (const sync of syncsIn(person, span)) {
    const portions = dataTypes
      .filter((type) => !isOff(world, account, type))
      .map((type): Portion => ({ account_id: account.account_id, type, ...sync }));
    if (portions.length > 0) world.send({ kind: 'data', portions });
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
