import type { HttpRequest, Reply } from '../server/http.ts';
import { bearerOf } from '../server/http.ts';
import type { Grant } from '../server/store.ts';
import { ownerOf } from '../server/tokens.ts';
import { quarterOf } from '../simulation/clock.ts';
import { stampOf } from '../simulation/world.ts';
import type { DevicemakerAccount, DevicemakerWorld } from './state.ts';

/** The account with an id; null if there is none. */
export function accountOf({ own }: DevicemakerWorld, id: string): DevicemakerAccount | null {
  return own.devicemaker_accounts.find(({ account_id }) => account_id === id) ?? null;
}

/**
 * Registers a user's account for the application with the granted permissions. A registered account keeps its other
 * state. An account that was deregistered starts anew, and its past data can be requested again.
 */
export function register(
  world: DevicemakerWorld,
  user: number,
  permissions: readonly string[],
): DevicemakerAccount {
  const { own, clock } = world;
  const { account_id } = world.user(user);
  const known = accountOf(world, account_id);
  const fresh = {
    registered: true,
    permissions: [...permissions],
    live_ms: quarterOf(clock.nowMs()),
    asked: {},
  };
  if (known === null) {
    const account = { account_id, person: user, grants: [], sent: {}, ...fresh };
    own.devicemaker_accounts.push(account);
    return account;
  }
  Object.assign(known, known.registered ? { permissions: fresh.permissions } : fresh);
  return known;
}

/** Ends a registration and all tokens, and notifies the application. */
export function deregister({ store, send }: DevicemakerWorld, account: DevicemakerAccount): void {
  account.registered = false;
  account.grants = [];
  send({ kind: 'notice', body: { deregistrations: [{ userId: account.account_id }] } });
  store.save();
}

/** Changes the permissions of an account, and notifies the application. */
export function changePermissions(
  world: DevicemakerWorld,
  account: DevicemakerAccount,
  permissions: readonly string[],
): void {
  account.permissions = [...permissions];
  const { account_id: userId } = account;
  const change = { userId, permissions: account.permissions, changeTimeInSeconds: stampOf(world) };
  world.send({ kind: 'notice', body: { userPermissionsChange: [change] } });
  world.store.save();
}

/** Serves a request with a valid access token, or refuses it. */
export function asOwner(
  { clock, own }: DevicemakerWorld,
  request: HttpRequest,
  serve: (account: DevicemakerAccount, grant: Grant) => Reply,
): Reply {
  const found = ownerOf(own.devicemaker_accounts, clock, bearerOf(request));
  if (found === null || !found.holder.registered) return refusal(401, 'The access token is not valid.');
  return serve(found.holder, found.grant);
}

/** An error in the format of this provider. */
export function refusal(status: number, errorMessage: string): Reply {
  return { status, json: { errorMessage } };
}
