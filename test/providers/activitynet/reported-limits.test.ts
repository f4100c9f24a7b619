import t from 'tap';
import { reportedLimits } from '../../../providers/activitynet/reported-limits.ts';

const overall = { 'X-RateLimit-Limit': '200,2000', 'X-RateLimit-Usage': '50,1700' };
const reads = { 'X-ReadRateLimit-Limit': '100,1000', 'X-ReadRateLimit-Usage': '7,70' };
const of = (headers: Record<string, string>) => reportedLimits(new Headers(headers));

t.test('the limits of reads count, and without them what is left of the overall ones', async (t) => {
  t.same(of({ ...overall, ...reads }), {
    read: { quarter: { limit: 100, usage: 7 }, day: { limit: 1000, usage: 70 } },
    left: null,
  });
  t.same(of(overall), { read: null, left: { quarter: 150, day: 300 } });
  t.same(of({}), { read: null, left: null });
});
