import type { Ask, Reply } from '../http.ts';
import { bearerOf } from '../http.ts';
import type { Person } from '../people.ts';
import { hashOf } from '../random.ts';
import type { ActivitynetAccount, Event, Grant } from '../store.ts';
import { ownerOf } from '../tokens.ts';
import { stampOf, type World } from '../world.ts';

/** The id of a person's account: past 2^32, as the real ones are. */
export function athleteIdOf({ seed }: Person): number {
  return 2 ** 33 + hashOf(`${seed}/athlete`);
}

/** A person's account, linked to the application. */
export function link(world: World, person: number): ActivitynetAccount {
  const { activitynet_accounts: accounts } = world.store.book;
  const athlete_id = athleteIdOf(world.person(person));
  const known = accounts.find((one) => one.athlete_id === athlete_id);
  const account = known ?? {
    ...{ athlete_id, person, authorized: false, grants: [], live_ms: 0 },
    ...{ told: [], deleted: [], titles: {} },
  };
  if (known === undefined) accounts.push(account);
  if (!account.authorized) account.live_ms = world.clock.nowMs();
  account.authorized = true;
  return account;
}

/** Ends what an account allowed: all tokens die, and the application is told. */
export function deauthorize(world: World, account: ActivitynetAccount): void {
  account.authorized = false;
  account.grants = [];
  const updates = { authorized: 'false' };
  tell(world, account, {
    object_type: 'athlete',
    object_id: account.athlete_id,
    aspect_type: 'update',
    updates,
  });
  world.store.save();
}

/** Puts an event of an account into the outbox. */
export function tell(
  world: World,
  { athlete_id: owner_id }: ActivitynetAccount,
  event: Omit<Event, 'owner_id' | 'event_time'>,
): void {
  const event_time = stampOf(world);
  world.outbox.add({ kind: 'event', event: { ...event, owner_id, event_time } });
}

/** Serves the owner of the request's token, or refuses. */
export function asAthlete(
  { clock, store }: World,
  ask: Ask,
  serve: (account: ActivitynetAccount, grant: Grant) => Reply,
): Reply {
  const found = ownerOf(store.book.activitynet_accounts, clock, bearerOf(ask));
  if (found === null || !found.granter.authorized)
    return failure(401, 'Authorization Error', 'Athlete', 'access_token', 'invalid');
  return serve(found.granter, found.grant);
}

/** A refusal in this platform's form. */
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
