import t from 'tap';
import { backoffMs } from '../../runtime/jobs/backoff.ts';

t.test(
  'the longest wait is two seconds first, then twice as long each time, up to half an hour',
  async (t) => {
    const longest = (attempt: number) => backoffMs(attempt, () => 1);
    t.same([1, 2, 3, 10, 11, 100].map(longest), [2000, 4000, 8000, 1_024_000, 1_800_000, 1_800_000]);
    t.equal(
      backoffMs(3, () => 0),
      0,
    );
  },
);
