import t from 'tap';
import { z } from 'zod';
import { daily } from '../../fixtures/devicemaker/dailies.ts';
import {
  bloodPressure,
  bodyComp,
  cycle,
  healthSnapshot,
  moveiq,
  userMetrics,
} from '../../fixtures/devicemaker/occasional.ts';
import { typesRange } from '../../fixtures/devicemaker/types.ts';
import { hrv, pulseOx, respiration, skinTemp, stressDetails } from '../../fixtures/devicemaker/wellness.ts';
import { createWearer, push, startApi } from '../../support/api.ts';
import { readAll } from '../../support/read-all.ts';

const api = await startApi(t, { RATE_LIMIT_API_KEY: '100000' });
const Answer = z.object({ wellness: z.record(z.string(), z.object({ processed: z.int(), saved: z.int() })) });

async function savedOf(type: string, ...items: object[]): Promise<number | undefined> {
  return Answer.parse((await push(api, { [type]: items })).body).wellness[type]?.saved;
}

const everything = (userId: string) => readAll(api, userId, typesRange);

type Build = (userId: string, changes?: Record<string, unknown>) => Record<string, unknown>;

/** Types that grow, with the fields that differ from one version of an item to the next. */
const growing: readonly (readonly [type: string, build: Build, short: object, long: object])[] = [
  ['hrv', hrv, { hrvValues: { 300: 40 } }, { hrvValues: { 300: 41, 600: 50 } }],
  [
    'stressDetails',
    (userId, changes) => stressDetails(userId, 24, changes),
    { timeOffsetStressLevelValues: { 0: 5 }, timeOffsetBodyBatteryValues: { 0: 90 } },
    { timeOffsetStressLevelValues: { 0: 6, 180: 7 }, timeOffsetBodyBatteryValues: { 0: 91 } },
  ],
  [
    'respiration',
    respiration,
    { timeOffsetEpochToBreaths: { 0: 12 } },
    { timeOffsetEpochToBreaths: { 0: 13, 120: 14 } },
  ],
  ['pulseOx', pulseOx, { timeOffsetSpo2Values: { 0: 95 } }, { timeOffsetSpo2Values: { 0: 96, 60: 97 } }],
  ['skinTemp', skinTemp, { avgDeviationCelsius: 0.1 }, { avgDeviationCelsius: 0.2 }],
  [
    'healthSnapshot',
    healthSnapshot,
    { summaries: [{ summaryType: 'spo2', avgValue: 95 }] },
    { summaries: [{ summaryType: 'spo2', avgValue: 96 }] },
  ],
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
  ['bodyComps', bodyComp, 'weightInGrams', 80_000, 72_000],
  ['bloodPressures', bloodPressure, 'systolic', 150, 118],
  ['userMetrics', userMetrics, 'vo2Max', 50, 45],
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

t.test('oxygen on demand and of a night may begin in the same second', async (t) => {
  const { account } = await createWearer(api);
  const night = pulseOx(account);
  const spot = pulseOx(account, { onDemand: true, durationInSeconds: 0, timeOffsetSpo2Values: { 0: 97 } });
  t.equal(await savedOf('pulseOx', night, spot), 2);
  t.equal(await savedOf('pulseOx', spot, night), 0);
});

t.test('a version under one name of a type replaces one under another', async (t) => {
  const { userId, account } = await createWearer(api);
  const version = (seconds: number, value: number) =>
    respiration(account, { durationInSeconds: seconds, timeOffsetEpochToBreaths: { 0: value } });
  await savedOf('respiration', version(600, 12));
  t.equal(await savedOf('allDayRespiration', version(1200, 15)), 1);
  t.equal(await savedOf('respiration', version(600, 12)), 0);
  t.same((await everything(userId)).samples, { respiratory_rate: [['2025-06-02T22:00:00Z', 15]] });
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

const pairs: readonly (readonly [type: string, build: (userId: string, n: number) => object])[] = [
  ['hrv', (id, n) => hrv(id, { startTimeInSeconds: 1_748_900_000 + n * 86_400 })],
  ['stressDetails', (id, n) => stressDetails(id, 1, { startTimeInSeconds: 1_748_900_000 - n * 86_400 })],
  ['respiration', (id, n) => respiration(id, { startTimeInSeconds: 1_748_900_000 - n * 86_400 })],
  ['pulseOx', (id, n) => pulseOx(id, { startTimeInSeconds: 1_748_900_000 - n * 86_400 })],
  ['skinTemp', (id, n) => skinTemp(id, { startTimeInSeconds: 1_748_900_000 - n * 86_400 })],
  ['healthSnapshot', (id, n) => healthSnapshot(id, { startTimeInSeconds: 1_748_900_000 - n * 86_400 })],
  ['moveiq', (id, n) => moveiq(id, { startTimeInSeconds: 1_748_900_000 - n * 86_400 })],
  ['bodyComps', (id, n) => bodyComp(id, { measurementTimeInSeconds: 1_748_900_000 - n * 86_400 })],
  ['bloodPressures', (id, n) => bloodPressure(id, { measurementTimeInSeconds: 1_748_900_000 - n * 86_400 })],
  ['userMetrics', (id, n) => userMetrics(id, { calendarDate: `2025-05-${String(n + 10)}` })],
  ['mct', (id, n) => cycle(id, { dayInCycle: n + 1 })],
];

for (const [type, build] of pairs)
  t.test(`${type}: of 14 identical pairs each counts once`, async (t) => {
    const { account } = await createWearer(api);
    const items = Array.from({ length: 14 }, (_, n) => build(account, n));
    t.equal(await savedOf(type, ...items.flatMap((item) => [item, item])), 14);
    t.equal(await savedOf(type, ...items), 0);
  });
