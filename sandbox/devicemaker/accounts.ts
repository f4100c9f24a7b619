import { quarterOf } from '../clock.ts';
import type { Ask, Reply } from '../http.ts';
import { bearerOf } from '../http.ts';
import type { Grant } from '../store.ts';
import { ownerOf } from '../tokens.ts';
import { stampOf } from '../world.ts';
import type { DevicemakerAccount, DevicemakerWorld } from './state.ts';

/** The account of an id; null where there is none. */
export function accountOf({ own }: DevicemakerWorld, id: string): DevicemakerAccount | null {
  return own.devicemaker_accounts.find(({ account_id }) => account_id === id) ?? null;
}

/**
 * Registers a person's account for the application with the permissions that they granted. A registered account keeps
 * all else. One that was deregistered starts again, and its past data can be requested again.
 */
export function register(
  world: DevicemakerWorld,
  person: number,
  permissions: readonly string[],
): DevicemakerAccount {
  const { own, clock } = world;
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

/** Serves the owner of the request's token, or refuses. */
export function asOwner(
  { clock, own }: DevicemakerWorld,
  ask: Ask,
  serve: (account: DevicemakerAccount, grant: Grant) => Reply,
): Reply {
  const found = ownerOf(own.devicemaker_accounts, clock, bearerOf(ask));
  if (found === null || !found.granter.registered) return refusal(401, 'The access token is not valid.');
  return serve(found.granter, found.grant);
}

/** A refusal in this provider's form. */
export function refusal(status: number, errorMessage: string): Reply {
  return { status, json: { errorMessage } };
}
