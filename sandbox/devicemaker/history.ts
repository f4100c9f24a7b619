import type { Ask, Reply, Route } from '../http.ts';
import { holds, withSpan } from '../spans.ts';
import type { DevicemakerAccount, Portion } from '../store.ts';
import type { World } from '../world.ts';
import { asOwner, quarterOf, refusal } from './accounts.ts';
import type { DataType } from './payloads.ts';
import { isAllowed, lettersOf, missingTypes, portionsOf, typeNamed } from './portions.ts';

const dayMs = 86_400_000;
const longestMs = 30 * dayMs;
/** Nobody's history goes back further. */
const keptMs = 2 * 365 * dayMs;

/** Requests for history: 202 at once, their data later, gathered with what others asked for meanwhile. */
export function devicemakerHistory(world: World): Route[] {
  const { clock, limits, store } = world;
  const { book } = store;
  const asked: number[] = [];
  const closeSoon = () => clock.at(clock.nowMs() + limits.batchWindowMs, flush);
  const flush = () => {
    const portions = book.gathering.splice(0);
    for (const letter of lettersOf(portions)) world.outbox.add({ kind: 'data', portions: letter });
  };
  const gather = (portions: readonly Portion[]) => {
    if (book.gathering.length === 0) closeSoon();
    book.gathering.push(...portions);
  };
  if (book.gathering.length > 0) closeSoon(); // the program ended in the middle of it
  const handle = (ask: Ask) =>
    asOwner(world, ask, (account) => {
      if (isOverLimit(world, asked)) return refusal(429, 'Too many requests for history.');
      return request(world, account, ask, gather);
    });
  return [{ method: 'GET', path: '/devicemaker/rest/backfill/:type', faults: 'api', handle }];
}

function isOverLimit({ clock, limits }: World, asked: number[]): boolean {
  const nowMs = clock.nowMs();
  while (asked[0] !== undefined && asked[0] <= nowMs - 60_000) asked.shift();
  asked.push(nowMs);
  return asked.length > limits.historyRequestsPerMinute;
}

function request(
  world: World,
  account: DevicemakerAccount,
  { params, query }: Ask,
  gather: (portions: readonly Portion[]) => void,
): Reply {
  const type = typeNamed(params.type ?? '');
  const startMs = secondsOf(query.get('summaryStartTimeInSeconds'));
  const endMs = secondsOf(query.get('summaryEndTimeInSeconds'));
  if (type === null) return refusal(404, 'There is no such data type.');
  if (startMs === null || endMs === null || startMs >= endMs)
    return refusal(400, 'The time range is not valid.');
  if (endMs - startMs > longestMs) return refusal(400, 'The time range is longer than 30 days.');
  if (!account.permissions.includes('HISTORICAL_DATA_EXPORT'))
    return refusal(403, 'The user does not share data of the past.');
  if (isOff(world, account, type)) return refusal(412, 'This data type is switched off.');
  const span = { startMs, endMs };
  const before = account.asked[type] ?? [];
  if (holds(before, span)) return refusal(409, 'This span was asked for before.');
  account.asked[type] = withSpan(before, span);
  const nowMs = world.clock.nowMs();
  const kept = {
    startMs: quarterOf(Math.max(startMs, nowMs - keptMs)),
    endMs: quarterOf(Math.min(endMs, nowMs)),
  };
  gather(portionsOf(world.person(account.person), type, kept));
  world.store.save();
  return { status: 202 };
}

/** Whether a type of an account is switched off: by the application, by the owner, or because the device has none. */
export function isOff(world: World, account: DevicemakerAccount, type: DataType): boolean {
  return (
    world.store.book.application.types_off.includes(type) ||
    !isAllowed(account.permissions, type) ||
    missingTypes(world.person(account.person)).includes(type)
  );
}

function secondsOf(text: string | null): number | null {
  return text !== null && /^\d{1,11}$/.test(text) ? Number(text) * 1000 : null;
}
