import t from 'tap';
import { ActivitySummary } from '../../contracts/summaries/schemas.ts';
import { pageOf } from '../../domain/page.ts';
import { deliverInAnyOrder } from '../services/summaries/deliver.ts';
import { expectedActivity } from '../services/summaries/expected-summaries.ts';
import { randomUserData } from '../services/summaries/random-user-data.ts';
import { seeded } from '../services/timeseries/model.ts';
import { wrongStatistics } from '../services/timeseries/statistics.ts';
import { startApi } from '../support/api.ts';

/*
 * User data around changes of daylight saving time, sent in any order: daily records that grow, end early or claim 24 hours, slots that are
 * sent several times, workouts and samples with the clock of their day's start. SEED and LIVES choose others.
 */
const first = Number(process.env.SEED ?? 0);
const lives = Number(process.env.LIVES ?? 8);

const api = await startApi(t, { RATE_LIMIT_API_KEY: '100000', RATE_LIMIT_WEBHOOK: '100000' });
const range = 'start_date=2025-01-01&end_date=2025-12-31&limit=400';

t.test(
  'activity summaries of days of 23 to 25 hours equal a calculation from the raw inputs, in any order',
  async (t) => {
    for (let seed = first; seed < first + lives; seed += 1) {
      const life = randomUserData(seed);
      const userId = await deliverInAnyOrder(api, life, seeded(seed + 1));
      const path = `/users/${userId}/summaries/activity?${range}`;
      const { data } = pageOf(ActivitySummary).parse(await api.expect(200, path));
      const wanted = expectedActivity(life, '2025-01-01', '2025-12-31');
      t.ok(wanted.length >= 4, `life ${seed} has days`);
      t.same(data, wanted, `life ${seed}`);
    }
  },
);

t.test('the statistics equal those of the samples afterwards', async (t) => {
  t.same(await wrongStatistics(api.database), []);
});
