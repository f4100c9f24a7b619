import type { Span } from '../day-simulation/plan.ts';
import { quarterOf, sliceMs } from '../simulation/clock.ts';
import { datesIn } from '../simulation/days.ts';
import type { SimulatedUser } from '../simulation/simulated-users.ts';
import { addDays, instantOf } from '../simulation/zone.ts';
import { isOff } from './backfill.ts';
import { dataTypes } from './payloads.ts';
import type { DevicemakerAccount, DevicemakerWorld, NotificationPart } from './state.ts';

/** A longer span is sent in a few synchronisations per day instead of one per quarter of an hour. */
const slicesMost = 8;

/** Sends the new data of all registered accounts, up to the last full quarter of an hour. */
export function sendLive(world: DevicemakerWorld): void {
  for (const account of world.own.devicemaker_accounts) if (account.registered) sendLiveOf(world, account);
  world.store.touch();
}

function sendLiveOf(world: DevicemakerWorld, account: DevicemakerAccount): void {
  const user = world.user(account.person);
  const span = { startMs: account.live_ms, endMs: quarterOf(world.clock.nowMs()) };
  for (const sync of syncsIn(user, span)) {
    const portions = dataTypes
      .filter((type) => !isOff(world, account, type))
      .map((type): NotificationPart => ({ account_id: account.account_id, type, ...sync }));
    if (portions.length > 0) world.send({ kind: 'data', portions });
    account.live_ms = sync.endMs;
  }
}

/** The synchronisations of a device in a span. None of them crosses a local midnight. */
export function syncsIn(user: SimulatedUser, span: Span): Span[] {
  const everySlice = span.endMs - span.startMs <= slicesMost * sliceMs;
  const ends = datesIn(user, span).flatMap((date) => endsOf(user, date, everySlice));
  const inside = [...ends.filter((ms) => ms > span.startMs && ms < span.endMs), span.endMs];
  return inside
    .map((endMs, index) => ({ startMs: inside[index - 1] ?? span.startMs, endMs }))
    .filter(({ startMs, endMs }) => startMs < endMs);
}

function endsOf({ traits: { zone } }: SimulatedUser, date: string, everySlice: boolean): number[] {
  const startMs = instantOf(zone, date, 0);
  const endMs = instantOf(zone, addDays(date, 1), 0);
  if (!everySlice) return [instantOf(zone, date, 12 * 60), instantOf(zone, date, 18 * 60), endMs];
  return Array.from({ length: (endMs - startMs) / sliceMs }, (_, index) => startMs + (index + 1) * sliceMs);
}
