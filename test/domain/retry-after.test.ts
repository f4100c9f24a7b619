import t from 'tap';
import { retryAfterMs } from '../../domain/time/retry-after.ts';

const nowMs = Date.UTC(2026, 0, 1);
const bounds = { mostMs: 86_400_000 };

t.test('reads Retry-After as seconds and as a date, a day at most', async (t) => {
  t.equal(retryAfterMs('120', nowMs, bounds), 120_000);
  t.equal(retryAfterMs(' 120 ', nowMs, bounds), 120_000);
  t.equal(retryAfterMs('Thu, 01 Jan 2026 00:01:00 GMT', nowMs, bounds), 60_000);
  t.equal(retryAfterMs('Wed, 31 Dec 2025 00:00:00 GMT', nowMs, bounds), 0);
  t.equal(retryAfterMs('999999999', nowMs, bounds), 86_400_000);
  t.equal(retryAfterMs('9'.repeat(400), nowMs, bounds), 86_400_000);
  for (const text of [null, 'soon', '', '-']) t.equal(retryAfterMs(text, nowMs, bounds), null);
});

t.test('a shorter wait is raised to the minimum', async (t) => {
  const range = { leastMs: 1000, mostMs: 3_600_000 };
  t.equal(retryAfterMs('0', nowMs, range), 1000);
  t.equal(retryAfterMs('Wed, 31 Dec 2025 00:00:00 GMT', nowMs, range), 1000);
  t.equal(retryAfterMs('7200', nowMs, range), 3_600_000);
  t.equal(retryAfterMs('soon', nowMs, range), null);
});
