import t from 'tap';
import { z } from 'zod';
import { daily } from '../../fixtures/devicemaker/dailies.ts';
import { bloodPressure, cycle, moveiq } from '../../fixtures/devicemaker/occasional.ts';
import { typesRange } from '../../fixtures/devicemaker/types.ts';
import { hrv, pulseOx, stressDetails } from '../../fixtures/devicemaker/wellness.ts';
import { createWearer, push, startApi } from '../../support/api.ts';
import { readAll } from '../../support/read-all.ts';

const api = await startApi(t, { RATE_LIMIT_API_KEY: '100000' });
const Answer = z.object({ wellness: z.record(z.string(), z.object({ processed: z.int(), saved: z.int() })) });

async function savedOf(type: string, ...items: object[]): Promise<number | undefined> {
  return Answer.parse((await push(api, { [type]: items })).body).wellness[type]?.saved;
}

const everything = (userId: string) => readAll(api, userId, typesRange);

type Build = (userId: string, changes?: Record<string, unknown>) => Record<string, unknown>;

/** A type with samples and one with an event, with the fields that differ from one version of an item to the next. */
const growing: readonly (readonly [type: string, build: Build, short: object, long: object])[] = [
  ['hrv', hrv, { hrvValues: { 300: 40 } }, { hrvValues: { 300: 41, 600: 50 } }],
  ['moveiq', moveiq, { activitySubType: 'Short' }, { activitySubType: 'Long' }],
];

for (const [type, build, shortFields, longFields] of growing)
  t.test(
    `${type}: the longer version takes the place of the shorter, which changes nothing when late`,
    async (t) => {
      const grown = await createWearer(api);
      const short = build(grown.account, { durationInSeconds: 600, summaryId: 'x-258', ...shortFields });
      const long = build(grown.account, { durationInSeconds: 1200, summaryId: 'x-4b0', ...longFields });
      t.equal(await savedOf(type, short), 1);
      const first = await everything(grown.userId);
      t.equal(await savedOf(type, long), 1);
      const second = await everything(grown.userId);
      t.not(JSON.stringify(second), JSON.stringify(first));
      t.equal(await savedOf(type, short), 0);
      t.same(await everything(grown.userId), second);
      const atOnce = await createWearer(api);
      t.equal(
        await savedOf(type, ...[short, long, short].map((item) => ({ ...item, userId: atOnce.account }))),
        2,
      );
      t.same(await everything(atOnce.userId), second, 'and the same in one delivery');
      const equal = { ...long, ...shortFields };
      t.equal(await savedOf(type, equal), 1, 'of one length the later delivery counts');
    },
  );

t.test('without a duration the last value determines the length of a version', async (t) => {
  const { userId, account } = await createWearer(api);
  const version = (values: object) => {
    const { durationInSeconds: _, ...item } = hrv(account, { hrvValues: values });
    return item;
  };
  await savedOf('hrv', version({ 300: 40, 600: 41 }));
  t.equal(await savedOf('hrv', version({ 300: 99 })), 0);
  t.equal(await savedOf('hrv', version({ 300: 42, 600: 43, 900: 44 })), 1);
  const { samples } = await everything(userId);
  t.same(
    samples.heart_rate_variability_rmssd?.map(([, value]) => value),
    [42, 43, 44],
  );
});

const measured: readonly (readonly [
  type: string,
  build: Build,
  field: string,
  one: number,
  other: number,
])[] = [
  ['bloodPressures', bloodPressure, 'systolic', 150, 118],
  ['mct', cycle, 'predictedCycleLength', 31, 28],
];

for (const [type, build, field, one, other] of measured)
  t.test(`${type}: the later delivery counts`, async (t) => {
    const { userId, account } = await createWearer(api);
    for (const value of [one, other, one]) {
      const fresh = await createWearer(api);
      t.equal(await savedOf(type, build(account, { [field]: value })), 1);
      t.equal(await savedOf(type, build(fresh.account, { [field]: value })), 1);
      t.same(await everything(userId), await everything(fresh.userId));
    }
  });

t.test('a newer version leaves samples that it no longer has', async (t) => {
  const { userId, account } = await createWearer(api);
  await savedOf('bloodPressures', bloodPressure(account));
  await savedOf('bloodPressures', bloodPressure(account, { pulse: null, systolic: 120 }));
  const { samples } = await everything(userId);
  const values = Object.entries(samples).map(([type, own]) => [type, own[0]?.[1]]);
  t.same(Object.fromEntries(values), {
    heart_rate: 63,
    blood_pressure_systolic: 120,
    blood_pressure_diastolic: 79,
  });
});

t.test('a day has one score of stress, in whichever order its records arrive', async (t) => {
  const levels = { averageStressLevel: 31, maxStressLevel: 84 };
  const day = (account: string) => ['dailies', daily(account, 24, levels)] as const;
  const details = (account: string) =>
    ['stressDetails', stressDetails(account, 24, { averageStressLevel: 32, maxStressLevel: 85 })] as const;
  for (const order of [
    [day, details],
    [details, day],
  ]) {
    const { userId, account } = await createWearer(api);
    for (const build of order) {
      const [type, item] = build(account);
      await savedOf(type, item);
    }
    const scores = await api.expect(
      200,
      `/users/${userId}/scores?start_date=2025-06-01&end_date=2025-06-05&limit=10`,
    );
    t.match(scores, {
      data: { length: 1, 0: { kind: 'stress', value: 31, components: { max_stress_level: 84 } } },
    });
  }
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
