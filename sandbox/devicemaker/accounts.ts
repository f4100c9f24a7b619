import type { Ask, Reply } from '../http.ts';
import { bearerOf } from '../http.ts';
import type { DevicemakerAccount, Grant } from '../store.ts';
import { ownerOf } from '../tokens.ts';
import { stampOf, type World } from '../world.ts';

const sliceMs = 900_000;

/** The last full quarter of an hour. */
export function quarterOf(ms: number): number {
  return Math.floor(ms / sliceMs) * sliceMs;
}

/** The account of an id; null where nobody has it. */
export function accountOf({ store }: Pick<World, 'store'>, id: string): DevicemakerAccount | null {
  return store.book.devicemaker_accounts.find(({ account_id }) => account_id === id) ?? null;
}

/**
 * A person's account, registered for the application with what they allow. What was registered stays as it is, but
 * for the permissions; one that had left begins anew, and may be asked for its history again.
 */
export function register(world: World, person: number, permissions: readonly string[]): DevicemakerAccount {
  const { store, clock } = world;
  const { account_id } = world.person(person);
  const known = accountOf(world, account_id);
  const fresh = {
    registered: true,
    permissions: [...permissions],
    live_ms: quarterOf(clock.nowMs()),
    asked: {},
  };
  if (known === null) {
    const account = { account_id, person, grants: [], sent: {}, ...fresh };
    store.book.devicemaker_accounts.push(account);
    return account;
  }
  Object.assign(known, known.registered ? { permissions: fresh.permissions } : fresh);
  return known;
}

/** Ends a registration: all tokens die, and the application is told. */
export function deregister({ store, outbox }: World, account: DevicemakerAccount): void {
  account.registered = false;
  account.grants = [];
  outbox.add({ kind: 'notice', body: { deregistrations: [{ userId: account.account_id }] } });
  store.save();
}

/** Changes what an account lets out, and tells the application. */
export function changePermissions(
  world: World,
  account: DevicemakerAccount,
  permissions: readonly string[],
): void {
  account.permissions = [...permissions];
  const { account_id: userId } = account;
  const change = { userId, permissions: account.permissions, changeTimeInSeconds: stampOf(world) };
  world.outbox.add({ kind: 'notice', body: { userPermissionsChange: [change] } });
  world.store.save();
}

/** Serves the owner of the request's token, or refuses. */
export function asOwner(
  { clock, store }: World,
  ask: Ask,
  serve: (account: DevicemakerAccount, grant: Grant) => Reply,
): Reply {
  const found = ownerOf(store.book.devicemaker_accounts, clock, bearerOf(ask));
  if (found === null || !found.granter.registered) return refusal(401, 'The access token is not valid.');
  return serve(found.granter, found.grant);
}

/** A refusal in this provider's form. */
export function refusal(status: number, errorMessage: string): Reply {
  return { status, json: { errorMessage } };
}
