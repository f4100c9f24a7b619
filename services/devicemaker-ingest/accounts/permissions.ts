import { z } from 'zod';
import { isItem } from '../../../domain/recipe/read-fields.ts';
import { type Arrival, findLinkedUsers, type LinkedUsers } from '../../../mixins/inbox/linked-users.ts';
import { instantMs, instantReason } from '../../../providers/devicemaker/normalise/item.ts';
import type { Call } from '../../../runtime/environment.ts';
import { providerUserIdOf } from '../items/entries.ts';
import { notConnected } from '../items/not-connected.ts';

/** The answer to `userPermissionsChange`. `updated` counts the connections whose scope changed. */
export interface PermissionsChanged {
  readonly updated: number;
  readonly errors: string[];
}

interface Change {
  readonly account: string;
  readonly scope: readonly string[];
  readonly changed_ms: number;
}

// A scope has at most 10 KB.
const changesPerCall = 50;

const Names = z.array(z.string().trim().min(1).max(100)).max(100);
const Permissions = z.union([
  Names,
  z.record(z.string(), z.boolean()).transform((map) => Object.keys(map).filter((name) => map[name] === true)),
]);

/**
 * Sets the scope of connections to the permissions that users granted, valid from the time of the change. An older
 * change never overwrites a newer one. Unknown users and unreadable items are reported and do not stop the others.
 */
export async function changePermissions(
  call: Call,
  items: readonly unknown[],
  arrival: Arrival,
): Promise<PermissionsChanged> {
  const read = items.map((item) => readChange(item, arrival.receivedMs));
  const changes = read.filter((change) => typeof change !== 'string');
  const accounts = changes.map(({ account }) => account);
  const linkedUsers = await findLinkedUsers(call, 'devicemaker', accounts, arrival);
  const updates = changes.flatMap(({ account, scope, changed_ms }) =>
    (linkedUsers.get(account) ?? []).map(({ connection_id }) => ({
      connection_id,
      scope: [...scope],
      changed_ms,
    })),
  );
  let updated = 0;
  for (let from = 0; from < updates.length; from += changesPerCall) {
    const answer = await call('users.changeScopes', { changes: updates.slice(from, from + changesPerCall) });
    updated += answer.updated;
  }
  return { updated, errors: read.flatMap((change, index) => problemOf(change, index, linkedUsers)) };
}

/** A change of permissions, or the problem with it. */
function readChange(item: unknown, receivedMs: number): Change | string {
  const account = providerUserIdOf(item);
  if (account === null || !isItem(item)) return 'userId: must be a text';
  const permissions = Permissions.safeParse(item.permissions);
  if (!permissions.success)
    return 'permissions: must be a list of names, or a map from names to true or false';
  const scope = Names.safeParse(permissions.data);
  if (!scope.success || scope.data.some((name) => name.includes('\0')))
    return 'permissions: must be at most 100 names of at most 100 characters';
  const seconds = item.changeTimeInSeconds ?? receivedMs / 1000;
  const changed_ms = typeof seconds === 'number' ? instantMs(seconds, receivedMs) : null;
  if (changed_ms === null) return `changeTimeInSeconds: ${instantReason}`;
  return { account, scope: [...new Set(scope.data)], changed_ms };
}

function problemOf(change: Change | string, index: number, linkedUsers: LinkedUsers): string[] {
  const where = `userPermissionsChange[${index}]`;
  if (typeof change === 'string') return [`${where}: ${change}`];
  return linkedUsers.has(change.account) ? [] : [`${where}: ${notConnected}`];
}
