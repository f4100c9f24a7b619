import type { HttpRequest, Reply } from '../server/http.ts';
import { bearerOf } from '../server/http.ts';
import type { Grant } from '../server/store.ts';
import { ownerOf } from '../server/tokens.ts';
import { hashOf } from '../simulation/random.ts';
import type { SimulatedUser } from '../simulation/simulated-users.ts';
import type { Traits } from '../simulation/traits.ts';
import type { ActivitynetAccount, ActivitynetWorld, Event } from './state.ts';

/** The id of a user's account. It is greater than 2^32, as some real ids are. */
function athleteIdOf({ seed }: SimulatedUser): number {
  return 2 ** 33 + hashOf(`${seed}/athlete`);
}

/** Whether a user has an account from the start. */
export function hasAccount({ uploads_workouts }: Traits): boolean {
  return uploads_workouts;
}

/** The account of a user, by the user's index; null if there is none. */
export function accountOf({ own }: ActivitynetWorld, index: number | null): ActivitynetAccount | null {
  return own.activitynet_accounts.find(({ person }) => person === index) ?? null;
}

/** Connects a user's account to the application. */
export function link(world: ActivitynetWorld, user: number): ActivitynetAccount {
  const { activitynet_accounts: accounts } = world.own;
  const athlete_id = athleteIdOf(world.user(user));
  const known = accounts.find((one) => one.athlete_id === athlete_id);
  const account = known ?? {
    athlete_id,
    person: user,
    authorized: false,
    grants: [],
    live_ms: 0,
    told: [],
    deleted: [],
    titles: {},
  };
  if (known === undefined) accounts.push(account);
  if (!account.authorized) account.live_ms = world.clock.nowMs();
  account.authorized = true;
  return account;
}

/** Ends the authorization of an account and all tokens, and sends an event. */
export function deauthorize(world: ActivitynetWorld, account: ActivitynetAccount): void {
  account.authorized = false;
  account.grants = [];
  const updates = { authorized: 'false' };
  sendEvent(world, account, {
    object_type: 'athlete',
    object_id: account.athlete_id,
    aspect_type: 'update',
    updates,
  });
  world.store.save();
}

/** Sends an event of an account. */
export function sendEvent(
  world: ActivitynetWorld,
  { athlete_id: owner_id }: ActivitynetAccount,
  event: Omit<Event, 'owner_id' | 'event_time'>,
): void {
  const event_time = eventTime(world, event.object_id);
  world.send({ kind: 'event', event: { ...event, owner_id, event_time } });
}

const lastTimes = new WeakMap<ActivitynetWorld, Map<number, number>>();

// Seconds of the wall clock, because an application refuses events of the future and the sandbox's clock may be ahead.
// Each event of an object has a later time than the previous one.
function eventTime(world: ActivitynetWorld, objectId: number): number {
  const times = lastTimes.get(world) ?? new Map<number, number>();
  lastTimes.set(world, times);
  const time = Math.max(Math.floor(Date.now() / 1000), (times.get(objectId) ?? 0) + 1);
  times.set(objectId, time);
  return time;
}

/** Serves a request with a valid access token, or refuses it. */
export function asAthlete(
  { clock, own }: ActivitynetWorld,
  request: HttpRequest,
  serve: (account: ActivitynetAccount, grant: Grant) => Reply,
): Reply {
  const found = ownerOf(own.activitynet_accounts, clock, bearerOf(request));
  if (found === null || !found.holder.authorized)
    return failure(401, 'Authorization Error', 'Athlete', 'access_token', 'invalid');
  return serve(found.holder, found.grant);
}

/** An error in the format of this platform. */
export function failure(
  status: number,
  message: string,
  resource?: string,
  field?: string,
  code?: string,
): Reply {
  const errors = resource === undefined ? [] : [{ resource, field, code }];
  return { status, json: { message, errors } };
}
