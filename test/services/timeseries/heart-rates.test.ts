import t from 'tap';
import { activity, at, block, item, workout } from './items.ts';
import { setUp } from './setting.ts';

const { call, userId, store } = await setUp(t);
const range = { user_id: userId, start_date: '2026-03-01', end_date: '2026-03-01' };
const heartRates = async () =>
  (await call('timeseries.workouts', range)).data.map((one) => [
    one.name,
    one.avg_heart_rate_bpm,
    one.max_heart_rate_bpm,
  ]);

t.test('missing heart rates of a workout are computed from the samples of its provider', async (t) => {
  await store([
    activity(workout(at('10:00:00'), 60, { name: 'Bare' })),
    activity(workout(at('12:00:00'), 60, { name: 'Half', avg_heart_rate_bpm: 111 })),
    activity(workout(at('14:00:00'), 60, { name: 'Sent', avg_heart_rate_bpm: 120, max_heart_rate_bpm: 130 })),
    activity(workout(at('16:00:00'), 60, { name: 'Unworn' })),
  ]);
  t.same(await heartRates(), [
    ['Unworn', null, null],
    ['Sent', 120, 130],
    ['Half', 111, null],
    ['Bare', null, null],
  ]);
  const samples = ['10:00:00', '10:30:00', '10:59:59', '12:15:00', '14:15:00'].map(
    (time, index) => [at(time), [100, 140, 161, 150, 99][index] ?? 0] as const,
  );
  const around = [
    [at('09:59:59'), 250],
    [at('11:00:00'), 251],
  ] as const;
  await store([item({ samples: [block('heart_rate', [...samples, ...around])] })]);
  t.same(await heartRates(), [
    ['Unworn', null, null],
    ['Sent', 120, 130],
    ['Half', 111, 150],
    ['Bare', 134, 161],
  ]);
});

t.test('samples of other providers and devices are not used', async (t) => {
  const spot = at('10:10:00');
  await store([item({ samples: [block('heart_rate', [[spot, 10]])] })], 'activitynet');
  const other = [0, 1, 2, 3, 4].map((second) => [spot + second * 1000, 20] as const);
  await store([item({ samples: [block('heart_rate', other, { device: 'Strap' })] })]);
  t.same((await heartRates()).at(-1), ['Bare', 134, 161]);
});

t.test('the single workout has the same values', async (t) => {
  const bare = (await call('timeseries.workouts', range)).data.find(({ name }) => name === 'Bare');
  const { details, laps, splits, segments, extra, ...single } = await call('timeseries.workout', {
    user_id: userId,
    event_id: bare?.id ?? '',
  });
  t.same(single, { ...bare, private: null });
  t.same([laps, splits, segments, extra], [null, null, null, null]);
  t.equal(details.avg_power_watts, null);
});
