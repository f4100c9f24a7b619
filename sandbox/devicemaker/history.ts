import { quarterOf } from '../clock.ts';
import { type Ask, type Reply, type Route, route } from '../http.ts';
import { holds, withSpan } from '../spans.ts';
import { asOwner, refusal } from './accounts.ts';
import type { DataType } from './payloads.ts';
import { isAllowed, lettersOf, missingTypes, portionsOf, typeNamed } from './portions.ts';
import type { DevicemakerAccount, DevicemakerWorld, Portion } from './state.ts';

const dayMs = 86_400_000;
const longestMs = 30 * dayMs;
/** No past data goes back further. */
const keptMs = 2 * 365 * dayMs;

/** Backfill requests: 202 at once. The data follows, gathered with that of other requests. */
export function devicemakerHistory(world: DevicemakerWorld): Route[] {
  const { clock, limits, own, send } = world;
  const asked: number[] = [];
  const closeSoon = () => clock.at(clock.nowMs() + limits.batchWindowMs, flush);
  const flush = () => {
    const portions = own.gathering.splice(0);
    for (const letter of lettersOf(portions)) send({ kind: 'data', portions: letter });
  };
  const gather = (portions: readonly Portion[]) => {
    if (own.gathering.length === 0) closeSoon();
    own.gathering.push(...portions);
  };
  if (own.gathering.length > 0) closeSoon(); // the program ended in the middle of it
  const handle = (ask: Ask) =>
    asOwner(world, ask, (account) => {
      if (isOverLimit(world, asked)) return refusal(429, 'Too many requests for history.');
      return request(world, account, ask, gather);
    });
  return [route('GET', '/devicemaker/rest/backfill/:type', handle, 'api')];
}

function isOverLimit({ clock, limits }: DevicemakerWorld, asked: number[]): boolean {
  const nowMs = clock.nowMs();
  while (asked[0] !== undefined && asked[0] <= nowMs - 60_000) asked.shift();
  asked.push(nowMs);
  return asked.length > limits.historyRequestsPerMinute;
}

function request(
  world: DevicemakerWorld,
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
export function isOff(world: DevicemakerWorld, account: DevicemakerAccount, type: DataType): boolean {
  return (
    world.application().types_off.includes(type) ||
    !isAllowed(account.permissions, type) ||
    missingTypes(world.person(account.person)).includes(type)
  );
}

function secondsOf(text: string | null): number | null {
  return text !== null && /^\d{1,11}$/.test(text) ? Number(text) * 1000 : null;
}
