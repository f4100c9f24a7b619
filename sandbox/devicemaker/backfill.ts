import { type HttpRequest, type Reply, type Route, route } from '../server/http.ts';
import { quarterOf } from '../simulation/clock.ts';
import { holds, withSpan } from '../simulation/spans.ts';
import { asOwner, refusal } from './accounts.ts';
import { isAllowed, missingTypes, notificationsOf, partsOf, typeNamed } from './notification-parts.ts';
import type { DataType } from './payloads.ts';
import type { DevicemakerAccount, DevicemakerWorld, NotificationPart } from './state.ts';

const dayMs = 86_400_000;
const longestMs = 30 * dayMs;
/** Older data is not available. */
const keptMs = 2 * 365 * dayMs;

/** The backfill route. It returns 202 at once; the data is sent later, together with that of other requests. */
export function devicemakerBackfill(world: DevicemakerWorld): Route[] {
  const { clock, limits, own, send } = world;
  const asked: number[] = [];
  const closeSoon = () => clock.at(clock.nowMs() + limits.batchWindowMs, flush);
  const flush = () => {
    const portions = own.gathering.splice(0);
    for (const notification of notificationsOf(portions)) send({ kind: 'data', portions: notification });
  };
  const gather = (portions: readonly NotificationPart[]) => {
    if (own.gathering.length === 0) closeSoon();
    own.gathering.push(...portions);
  };
  if (own.gathering.length > 0) closeSoon(); // the previous process ended before it sent them
  const handle = (request: HttpRequest) =>
    asOwner(world, request, (account) => {
      if (isOverLimit(world, asked)) return refusal(429, 'Too many backfill requests.');
      return requestBackfill(world, account, request, gather);
    });
  return [route('GET', '/devicemaker/rest/backfill/:type', handle, 'api')];
}

function isOverLimit({ clock, limits }: DevicemakerWorld, asked: number[]): boolean {
  const nowMs = clock.nowMs();
  while (asked[0] !== undefined && asked[0] <= nowMs - 60_000) asked.shift();
  asked.push(nowMs);
  return asked.length > limits.backfillRequestsPerMinute;
}

function requestBackfill(
  world: DevicemakerWorld,
  account: DevicemakerAccount,
  { params, query }: HttpRequest,
  gather: (portions: readonly NotificationPart[]) => void,
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
  gather(partsOf(world.user(account.person), type, kept));
  world.store.save();
  return { status: 202 };
}

/** Whether a data type of an account is disabled by the application, by the user, or because the device does not have it. */
export function isOff(world: DevicemakerWorld, account: DevicemakerAccount, type: DataType): boolean {
  return (
    world.application().types_off.includes(type) ||
    !isAllowed(account.permissions, type) ||
    missingTypes(world.user(account.person)).includes(type)
  );
}

function secondsOf(text: string | null): number | null {
  return text !== null && /^\d{1,11}$/.test(text) ? Number(text) * 1000 : null;
}
