import { z } from 'zod';
import { isItem } from '../../../domain/recipe/read-fields.ts';
import type { Job } from '../../../mixins/inbox/inbox-job.ts';
import {
  type Arrival,
  arrivalOf,
  findLinkedUsers,
  type LinkedUsers,
} from '../../../mixins/inbox/linked-users.ts';
import { instantMs, instantReason } from '../../../providers/devicemaker/normalise/item.ts';
import type { Call } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import type { Push } from '../rules/read-push.ts';
import { notConnected, providerUserIdOf } from './entries.ts';
import type { Run } from './store-run.ts';

const errors = z.array(z.string());

/**
 * The results of the arrays beside the data: numbers of connections whose scope changed, and whose status is `revoked` now. Null if the
 * delivery has none, or if they are not processed yet.
 */
const Specials = z.object({
  permissions: z.object({ updated: z.int(), errors }).nullable(),
  deregistered: z.object({ revoked: z.int(), errors }).nullable(),
});

const none: Specials = { permissions: null, deregistered: null };
const progressEntry = 'specials';

/**
 * Applies permission changes and deregistrations, once: a later attempt returns the result of the first. They are
 * applied after the data, which was sent while the account was linked. Deregistrations run even when fetching failed or
 * an item cannot be stored.
 */
export async function settleSpecials(run: Run, job: Job, push: Push): Promise<Specials> {
  if (!isOpen(push, none)) return none;
  try {
    const earlier = job.isRetry ? (await job.progress.read()).get(progressEntry) : undefined;
    const kept = Specials.safeParse(earlier?.result);
    if (kept.success) return kept.data;
    if (run.halted || job.signal.aborted) return none;
    const specials = await workSpecials(run, job, push);
    await job.progress.keepResult(progressEntry, specials);
    return specials;
  } catch (error) {
    run.failed ??= codeOf(error);
    return none;
  }
}

// Permission changes go first because a deregistered account is no longer found.
async function workSpecials({ call }: Run, job: Job, push: Push): Promise<Specials> {
  const arrival = arrivalOf(job);
  const { permissionChanges: changes, deregistrations: leavers } = push;
  const permissions = changes === null ? null : await changePermissions(call, changes, arrival);
  return {
    permissions,
    deregistered: leavers === null ? null : await deregister(call, leavers, arrival),
  };
}

/** Whether part of the arrays is not processed yet. */
export function isOpen(push: Push, { permissions, deregistered }: Specials): boolean {
  return (
    (push.permissionChanges !== null && permissions === null) ||
    (push.deregistrations !== null && deregistered === null)
  );
}

export type Specials = z.infer<typeof Specials>;

/** Ends the connections of deregistered accounts. An unknown account is reported and is not a failure. */
async function deregister(
  call: Call,
  items: readonly unknown[],
  arrival: Arrival,
): Promise<Specials['deregistered']> {
  const ids = items.map(providerUserIdOf);
  const known = ids.filter((id) => id !== null);
  const linkedUsers = await findLinkedUsers(call, 'devicemaker', known, arrival);
  let revoked = 0;
  for (const { connection_id, user_id } of [...linkedUsers.values()].flat()) {
    const ended = await call('users.endByEvent', { connection_id, user_id });
    revoked += ended.revoked ? 1 : 0;
  }
  return { revoked, errors: ids.flatMap((id, index) => deregistrationProblem(id, index, linkedUsers)) };
}

function deregistrationProblem(id: string | null, index: number, linkedUsers: LinkedUsers): string[] {
  const where = `deregistrations[${index}]`;
  if (id === null) return [`${where}: userId: must be a text`];
  return linkedUsers.has(id) ? [] : [`${where}: ${notConnected}`];
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
async function changePermissions(
  call: Call,
  items: readonly unknown[],
  arrival: Arrival,
): Promise<Specials['permissions']> {
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
  return { updated, errors: read.flatMap((change, index) => permissionProblem(change, index, linkedUsers)) };
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

function permissionProblem(change: Change | string, index: number, linkedUsers: LinkedUsers): string[] {
  const where = `userPermissionsChange[${index}]`;
  if (typeof change === 'string') return [`${where}: ${change}`];
  return linkedUsers.has(change.account) ? [] : [`${where}: ${notConnected}`];
}
