import { randomUUID } from 'node:crypto';
import t from 'tap';
import { changePermissions } from '../../../services/devicemaker-ingest/accounts/permissions.ts';
import { settleSpecials } from '../../../services/devicemaker-ingest/accounts/specials.ts';

const receivedMs = Date.UTC(2026, 0, 5);
const item = (changeTimeInSeconds?: unknown) => ({
  userId: 'a1',
  permissions: ['READ', 'READ', 'WRITE'],
  changeTimeInSeconds,
});
const seconds = receivedMs / 1000;

/** Applies one change. Returns what is changed, and the problems. */
async function changed(value: unknown) {
  const changes: unknown[] = [];
  const account = { connection_id: randomUUID(), user_id: randomUUID(), provider_user_id: 'a1' };
  const call = async (name: string, params: { readonly changes: unknown[] }) => {
    if (name === 'users.resolve') return [{ ...account, connected_at: '2026-01-01T00:00:00Z' }];
    changes.push(...params.changes);
    return { updated: 1 };
  };
  const arrival = { deliveryId: randomUUID(), receivedMs, connectedBy: null };
  const { errors } = await changePermissions(call as never, [value], arrival);
  return { changes, errors };
}

t.test('a change is valid from its time, or else from its arrival', async (t) => {
  for (const [sent, changed_ms] of [
    [seconds - 60, receivedMs - 60_000],
    [undefined, receivedMs],
  ] as const)
    t.match(await changed(item(sent)), { changes: [{ scope: ['READ', 'WRITE'], changed_ms }], errors: [] });
});

t.test('an invalid change is reported with its problem', async (t) => {
  for (const [value, problem] of [
    [{ permissions: [] }, /: userId: /],
    [{ ...item(), permissions: 'READ' }, /: permissions: must be a list/],
    [{ ...item(), permissions: ['a\0b'] }, /: permissions: must be at most/],
    [{ ...item(), permissions: ['x'.repeat(101)] }, /: permissions: /],
    [item('soon'), /: changeTimeInSeconds: /],
  ] as const)
    t.match(await changed(value), { changes: { length: 0 }, errors: [problem] });
});

t.test('permissions are changed before accounts are deregistered, which are not found then', async (t) => {
  const calls: string[] = [];
  const ids = { connection_id: randomUUID(), user_id: randomUUID(), provider_user_id: 'a1' };
  const call = async (name: string) => {
    calls.push(name);
    if (name === 'users.resolve') return [{ ...ids, connected_at: '2026-01-01T00:00:00Z' }];
    return name === 'users.changeScopes' ? { updated: 1 } : { revoked: true };
  };
  const push = { groups: [], errors: [], permissionChanges: [item(seconds)], deregistrations: [item()] };
  const job = { id: randomUUID(), isRetry: false, received_ms: receivedMs };
  const progress = { keepResult: async () => true };
  const { signal } = new AbortController();
  const run = { call, halted: false, failed: null } as unknown as Parameters<typeof settleSpecials>[0];
  const specials = await settleSpecials(run, { ...job, progress, signal } as never, push);
  t.match(specials, { permissions: { updated: 1 }, deregistered: { revoked: 1 } });
  t.same(calls, ['users.resolve', 'users.changeScopes', 'users.resolve', 'users.endByEvent']);
});
