import { randomUUID } from 'node:crypto';
import t from 'tap';
import { mostNotedAccesses } from '../../../contracts/auth/accesses.ts';
import { type AccessBatch, AccessCounts } from '../../../services/api-gateway/work/access-counts.ts';
import { callerOf } from '../../support/callers.ts';

const hour = Date.UTC(2026, 2, 1, 10);
const key = callerOf('api-key');

function counting() {
  const batches: AccessBatch[] = [];
  const lost: unknown[] = [];
  const state = { nowMs: hour, fails: false };
  const counts = new AccessCounts({
    send: async (batch) => {
      batches.push(structuredClone(batch));
      if (state.fails) throw new Error('auth is away');
    },
    logger: { warn: (...entry: unknown[]) => lost.push(entry) },
    now: () => state.nowMs,
  });
  return { counts, batches, lost, state };
}

t.test('reads are counted by user, actor, kind and hour', async (t) => {
  const { counts, batches, state } = counting();
  const user = randomUUID();
  const developer = callerOf('developer', { developer_id: randomUUID(), project_id: 'second' });
  for (const id of [user, user.toUpperCase()]) counts.note(key, id, 'sleep');
  counts.note(key, user, 'days');
  counts.note(developer, user, 'sleep');
  state.nowMs = hour + 3_599_999;
  counts.note(key, user, 'sleep');
  state.nowMs = hour + 3_600_000;
  counts.note(key, user, 'sleep');
  await counts.write();
  const of = { user_id: user, actor: `api_key:${key.id}`, project_id: 'default', hour_ms: hour };
  t.strictSame(
    batches.map(({ reads }) => reads),
    [
      [
        { ...of, kind: 'sleep', count: 3 },
        { ...of, kind: 'days', count: 1 },
        { ...of, project_id: 'second', actor: `admin:${developer.developer_id}`, kind: 'sleep', count: 1 },
        { ...of, kind: 'sleep', hour_ms: hour + 3_600_000, count: 1 },
      ],
    ],
  );
  await counts.write();
  t.equal(batches.length, 1, 'nothing new is no call');
});

t.test('a batch that failed is sent again as it was, and what came meanwhile follows', async (t) => {
  const { counts, batches, state } = counting();
  const user = randomUUID();
  counts.note(key, user, 'sleep');
  state.fails = true;
  await t.rejects(counts.write(), { message: 'auth is away' });
  counts.note(key, user, 'sleep');
  counts.note(key, user, 'sleep');
  state.fails = false;
  await counts.write();
  t.same(
    batches.map(({ sequence, reads }) => [sequence, reads.map(({ count }) => count)]),
    [
      [1, [1]],
      [1, [1]],
      [2, [2]],
    ],
  );
  t.equal(new Set(batches.map(({ process_id }) => process_id)).size, 1);
});

t.test('10,000 distinct rows are written at once, in batches that fit the bus', async (t) => {
  const { counts, batches } = counting();
  for (let n = 0; n < 9_999; n += 1) counts.note(key, randomUUID(), 'sleep');
  t.equal(batches.length, 0);
  counts.note(key, randomUUID(), 'sleep');
  t.equal(batches.length, 1);
  await counts.write();
  t.same(
    batches.map(({ reads }) => reads.length),
    Array.from({ length: 5 }, () => mostNotedAccesses),
  );
  const bytes = Math.max(...batches.map((batch) => JSON.stringify(batch).length));
  t.ok(bytes < 700_000, `${bytes} bytes`);
});

t.test('while auth is away 100,000 rows are kept, and the log has the number of the others', async (t) => {
  const { counts, batches, lost, state } = counting();
  state.fails = true;
  for (let n = 0; n < 102_002; n += 1) counts.note(key, randomUUID(), 'sleep');
  await t.rejects(counts.write());
  t.equal(batches.length, 1, 'one batch is tried, not one for each read');
  state.fails = false;
  await counts.write();
  const written = new Map(batches.map(({ sequence, reads }) => [sequence, reads.length]));
  t.equal(
    [...written.values()].reduce((sum, length) => sum + length, 0),
    102_000,
  );
  t.same(lost, [['gateway.reads_not_recorded', { reads: 2 }]]);
});
