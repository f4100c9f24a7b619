import { randomUUID } from 'node:crypto';
import t from 'tap';
import { readChange } from '../../../services/devicemaker-ingest/accounts/permissions.ts';
import { settleSpecials } from '../../../services/devicemaker-ingest/accounts/specials.ts';

const receivedMs = Date.UTC(2026, 0, 5);
const item = (changeTimeInSeconds?: unknown) => ({
  userId: 'a1',
  permissions: ['READ', 'READ', 'WRITE'],
  changeTimeInSeconds,
});
const seconds = receivedMs / 1000;

/** A row: the time of a change, whether its sender is authenticated, and the time that is kept. */
const rows: readonly (readonly [sent: unknown, authenticated: boolean, keptMs: number])[] = [
  [seconds - 60, false, receivedMs - 60_000],
  [seconds - 60, true, receivedMs - 60_000],
  [seconds + 60, false, receivedMs],
  [seconds + 60, true, receivedMs + 60_000],
  [undefined, false, receivedMs],
];

t.test('a future time is kept only if the sender is authenticated', async (t) => {
  for (const [sent, authenticated, changed_ms] of rows) {
    const change = readChange(item(sent), { receivedMs, authenticated });
    t.same(change, { account: 'a1', scope: ['READ', 'WRITE'], changed_ms }, `${sent} ${authenticated}`);
  }
});

t.test('an invalid change is reported with its problem', async (t) => {
  const read = (value: unknown) => readChange(value, { receivedMs, authenticated: true });
  t.match(read({ permissions: [] }), /^userId: /);
  t.match(read({ ...item(), permissions: 'READ' }), /^permissions: must be a list/);
  t.match(read({ ...item(), permissions: ['a\0b'] }), /^permissions: must be at most/);
  t.match(read({ ...item(), permissions: ['x'.repeat(101)] }), /^permissions: /);
  t.match(read(item('soon')), /^changeTimeInSeconds: /);
});

t.test('permissions are changed before accounts are deregistered, which are not found then', async (t) => {
  const calls: string[] = [];
  const ids = { connection_id: randomUUID(), user_id: randomUUID(), provider_user_id: 'a1' };
  const call = async (name: string) => {
    calls.push(name);
    if (name === 'users.resolve') return [{ ...ids, connected_at: '2026-01-01T00:00:00Z' }];
    return name === 'users.changeScopes' ? { updated: 1 } : { outcome: 'revoked' };
  };
  const push = { groups: [], errors: [], permissionChanges: [item(seconds)], deregistrations: [item()] };
  const job = { id: randomUUID(), isRetry: false, received_ms: receivedMs, authenticated: true };
  const progress = { keepResult: async () => true };
  const { signal } = new AbortController();
  const run = { call, halted: false, failed: null } as unknown as Parameters<typeof settleSpecials>[0];
  const specials = await settleSpecials(run, { ...job, progress, signal } as never, push);
  t.match(specials, { permissions: { updated: 1 }, deregistered: { revoked: 1 } });
  t.same(calls, ['users.resolve', 'users.changeScopes', 'users.resolve', 'users.endByEvent']);
});
