import t from 'tap';
import { outcomeOf } from '../../../services/webhooks/rules/outcome.ts';

const failed = { error: 'STATUS', status: 503, durationMs: 1, answer: null } as const;
const pace = { random: () => 0.5 };

t.test('Retry-After lengthens the delay of a retry, and never shortens it', async (t) => {
  const delayMs = (failures: number, retryAfter: string | null) =>
    outcomeOf({ failures, change_id: '1' }, { ...failed, retryAfter }, pace).delayMs;
  t.equal(delayMs(0, null), 5000);
  t.equal(delayMs(1, null), 300_000);
  t.equal(delayMs(1, '1'), 300_000);
  t.equal(delayMs(0, '60'), 60_000);
});
