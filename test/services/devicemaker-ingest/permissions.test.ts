import t from 'tap';
import { readChange } from '../../../services/devicemaker-ingest/accounts/permissions.ts';

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
