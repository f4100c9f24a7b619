import { bearerOf, type HttpRequest, type Reply } from '../server/http.ts';
import { ownerOf } from '../server/tokens.ts';
import { hashOf } from '../simulation/random.ts';
import type { SimulatedUser } from '../simulation/simulated-users.ts';
import type { Traits } from '../simulation/traits.ts';
import { stampOf } from '../simulation/world.ts';
import { failure } from './envelope.ts';
import { countsOf, type WithingsAccount, type WithingsWorld } from './state.ts';

/** The id of a user's account. */
function useridOf({ seed }: SimulatedUser): number {
  return 10_000_000 + (hashOf(`${seed}/withings`) % 80_000_000);
}

/** Whether a user has an account from the start. */
export function hasAccount({ owns_scale }: Traits): boolean {
  return owns_scale;
}

/** The account of a user, by the user's index; null if there is none. */
export function accountOf({ own }: WithingsWorld, index: number | null): WithingsAccount | null {
  return own.withings_accounts.find(({ person }) => person === index) ?? null;
}

/** Connects a user's account to the application. */
export function link(world: WithingsWorld, user: number): WithingsAccount {
  const { withings_accounts: accounts } = world.own;
  const userid = useridOf(world.user(user));
  const known = accounts.find((one) => one.userid === userid);
  const account = known ?? {
    userid,
    person: user,
    authorized: false,
    grants: [],
    live_ms: 0,
    subscriptions: [],
    deleted: [],
    changed: {},
    arrivals: [],
  };
  if (known === undefined) accounts.push(account);
  if (!account.authorized) account.live_ms = world.clock.nowMs();
  account.authorized = true;
  return account;
}

/** Ends the authorization of an account with its tokens and subscriptions. The notification is sent before. */
export function unlink(world: WithingsWorld, account: WithingsAccount, action: 'unlink' | 'delete'): void {
  notify(world, account, profile, { action });
  account.authorized = false;
  account.grants = [];
  world.store.save();
}

/** The category of the profile. */
const profile = 46;

/** Queues a notification of a category. */
export function notify(
  world: WithingsWorld,
  { userid }: WithingsAccount,
  appli: number,
  fields: Readonly<Record<string, string | number>>,
): void {
  const all = { userid, appli, ...fields };
  const texts = Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)]));
  world.send({ kind: 'withings', userid, fields: texts });
}

/** Serves a request with a valid access token of a client. The use of a token ends the tokens that it replaced. */
export function asUser(
  world: WithingsWorld,
  request: HttpRequest,
  serve: (account: WithingsAccount, clientId: string) => Reply,
): Reply {
  const { clock, own } = world;
  const token = bearerOf(request);
  const found = ownerOf(own.withings_accounts, clock, token);
  if (found === null || !found.holder.authorized)
    return failure(401, 'XRequestID: Not provided invalid_token');
  const { holder } = found;
  const grant = holder.grants.find((one) => one.access_token === token);
  const clientId = grant?.client_id ?? own.withings.client_id;
  countsOf(world, clientId).requests += 1;
  holder.grants = holder.grants.filter(
    ({ replaced_by }) => replaced_by === undefined || replaced_by !== token,
  );
  return serve(holder, clientId);
}

/** Marks a row as changed now, so that it is newer than any cursor. */
export function touchRow(world: WithingsWorld, account: WithingsAccount, id: string): void {
  account.changed[id] = stampOf(world);
  world.store.save();
}
