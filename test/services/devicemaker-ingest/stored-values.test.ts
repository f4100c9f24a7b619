import t from 'tap';
import { activity } from '../../fixtures/devicemaker/activities.ts';
import { activityDetails } from '../../fixtures/devicemaker/activity-details.ts';
import { typesRange } from '../../fixtures/devicemaker/types.ts';
import { pulseOx } from '../../fixtures/devicemaker/wellness.ts';
import { createWearer, push, startApi } from '../../support/api.ts';
import { readAll } from '../../support/read-all.ts';

const api = await startApi(t);

t.test('the active minutes of a workout are its moving time, if known', async (t) => {
  const { userId, account } = await createWearer(api);
  await push(api, {
    activities: [activity(account, { durationInSeconds: 3600, movingDurationInSeconds: 1800 })],
  });
  const range = `start_date=${typesRange.start}&end_date=${typesRange.end}`;
  t.match(await api.expect(200, `/users/${userId}/summaries/activity?${range}`), {
    data: [{ active_minutes: 30 }],
  });
  t.match((await readAll(api, userId, typesRange)).workouts, [{ duration_seconds: 3600 }]);
});

t.test('oxygen on demand and that of a night are two records of one second', async (t) => {
  const { userId, account } = await createWearer(api);
  const spot = pulseOx(account, { onDemand: true, durationInSeconds: 0, timeOffsetSpo2Values: { 0: 97 } });
  await push(api, { pulseOx: [pulseOx(account), spot] });
  const keys = await api.database.query<{ key: string }>(
    "select key from timeseries.item where user_id = $1 and data_type = 'pulseOx' order by key",
    [userId],
  );
  const start = String(spot.startTimeInSeconds);
  t.same(keys, [{ key: start }, { key: `${start}/on-demand` }]);
});

t.test('a multisport set that its details alone name is not listed', async (t) => {
  for (const order of ['activity first', 'details first'] as const) {
    const { userId, account } = await createWearer(api);
    const { summary } = activityDetails(account);
    const details = activityDetails(account, { summary: { ...summary, isParent: true }, samples: [] });
    const bodies = [{ activities: [activity(account)] }, { activityDetails: [details] }];
    for (const body of order === 'activity first' ? bodies : bodies.reverse()) await push(api, body);
    t.same((await readAll(api, userId, typesRange)).workouts, [], order);
  }
});
