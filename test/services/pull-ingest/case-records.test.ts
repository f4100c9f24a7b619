import t, { type Test } from 'tap';
import { z } from 'zod';
import { dayMs, isoTime } from '../../../domain/time/time.ts';
import { recentCase, startAnswering } from './answering.ts';

const { api, answers, connected, backfilled } = await startAnswering(t);
const date = (days: number) => isoTime(Date.now() - days * dayMs).slice(0, 10);
const range = `start_date=${date(40)}&end_date=${date(-2)}&limit=100`;
const times = `start_time=${isoTime(Date.now() - 40 * dayMs)}&end_time=${isoTime(Date.now())}`;

const Nights = z.object({
  data: z.array(
    z.looseObject({
      ...{ id: z.string(), start_time: z.string(), end_time: z.string(), is_nap: z.boolean() },
      duration_seconds: z.number().nullable(),
    }),
  ),
});
const byStart = <T extends { readonly start_time: string }>(all: readonly T[]): T[] =>
  all.toSorted((a, b) => (a.start_time < b.start_time ? -1 : 1));

async function nightsOf(userId: string) {
  return byStart(Nights.parse(await api.expect(200, `/users/${userId}/events/sleep?${range}`)).data);
}

async function samplesOf(userId: string, types: string): Promise<string[]> {
  const Samples = z.object({
    data: z.array(z.object({ timestamp: z.string(), type: z.string(), value: z.number() })),
  });
  const path = `/users/${userId}/timeseries?types=${types}&limit=100&${times}`;
  const { data } = Samples.parse(await api.expect(200, path));
  return data.map(({ timestamp, type, value }) => `${timestamp} ${type} ${value}`).sort();
}

/** Answers of Polar by kind of data, the others empty. */
function answerPolar(kinds: {
  readonly nights?: readonly { readonly date: string }[];
  readonly recharges?: readonly unknown[];
  readonly days?: readonly unknown[];
  readonly hr?: readonly unknown[];
}): void {
  const { nights = [], recharges = [], days = [], hr = [] } = kinds;
  answers.set('/v3/exercises', []);
  answers.set('/v3/users/cardio-load/date', []);
  answers.set('/v3/users/activities', days);
  answers.set('/v3/users/continuous-heart-rate', { heart_rates: hr });
  answers.set('/v3/users/nightly-recharge', { recharges });
  answers.set('/v3/users/sleep/available', { available: nights.map((night) => ({ date: night.date })) });
  for (const night of nights) answers.set(`/v3/users/sleep/${night.date}`, night);
}

const PolarNight = z.looseObject({ date: z.string() });
const Recharge = z.looseObject({ date: z.string() });
const night = PolarNight.parse(recentCase('24-polar-zero/sleep.json').body);
const { recharges } = z
  .object({ recharges: z.array(Recharge) })
  .parse(recentCase('24-polar-zero/recharge.json').body);

/** What is shown of nights and recharges of Polar, for a new user. */
async function polarOf(nights: z.output<typeof PolarNight>[], of: z.output<typeof Recharge>[]) {
  answerPolar({ nights, recharges: of });
  const userId = await connected('polar');
  await backfilled(userId, 'polar');
  const [first] = await nightsOf(userId);
  const sleep = await api.expect(200, `/users/${userId}/events/sleep/${first?.id}`);
  const Scores = z.object({
    data: z.array(z.looseObject({ components: z.record(z.string(), z.unknown()) })),
  });
  const scores = Scores.parse(await api.expect(200, `/users/${userId}/scores?kind=recharge&${range}`)).data;
  const days = JSON.stringify(await api.expect(200, `/users/${userId}/days?${range}`));
  const types = 'heart_rate,heart_rate_variability_rmssd,respiratory_rate';
  const samples = (await samplesOf(userId, types)).map((line) => line.split(' ').slice(1).join(' '));
  return {
    sleep: z.looseObject({ extra: z.record(z.string(), z.unknown()) }).parse(sleep),
    scores,
    days,
    samples,
  };
}

t.test('0 and -1 where Polar has no value are no values', async (t) => {
  const { sleep, scores, days, samples } = await polarOf([night], recharges);
  t.same(Object.keys(sleep.extra).sort(), [
    ...['group_duration_score', 'group_regeneration_score', 'group_solidity_score'],
    ...['long_interruption_duration', 'short_interruption_duration', 'sleep_cycles', 'sleep_goal'],
  ]);
  t.match(scores, [{ value: 3, components: { heart_rate_avg: 55, ans_charge: -1.2, ans_charge_status: 2 } }]);
  t.notMatch(Object.keys(scores[0]?.components ?? {}).join(), /beat_to_beat|breathing/);
  t.notMatch(days, /hrv_night_average_ms/);
  t.same(samples.sort(), [
    ...['heart_rate 52', 'heart_rate 58', 'heart_rate 60'],
    ...['heart_rate_variability_rmssd 40', 'respiratory_rate 14.2'],
  ]);
});

t.test(
  'a charge of 0 is a value where its status says so, and stages that are all 0 are unknown',
  async (t) => {
    const [first] = recharges;
    const known = { ...first, ans_charge: 0, ans_charge_status: 3, beat_to_beat_avg: 1100 };
    t.match((await polarOf([night], [{ date: '', ...known }])).scores, [
      { components: { ans_charge: 0, ans_charge_status: 3, beat_to_beat_avg: 1100 } },
    ]);
    const none = { ...first, date: night.date, ans_charge: 0, ans_charge_status: 0, heart_rate_avg: 0 };
    const unstaged = {
      ...night,
      light_sleep: 0,
      deep_sleep: 0,
      rem_sleep: 0,
      hypnogram: {},
      sleep_score: -1,
    };
    const { sleep, scores } = await polarOf([unstaged], [none]);
    t.same(
      scores.map(({ components }) => components),
      [{}],
    );
    t.match(sleep, {
      score: null,
      stages: { deep_minutes: null, rem_minutes: null },
      duration_seconds: 25_000,
    });
  },
);

const Summary = z.object({
  series: z.array(z.looseObject({ startdate: z.int(), enddate: z.int(), id: z.int() })),
});

/** The nights of Withings of a new user, and the sleep of days. */
async function withingsOf(series: object[]) {
  answers.set('/v2/sleep?getsummary', { series, more: false, offset: 0 });
  const userId = await connected('withings');
  await backfilled(userId, 'withings');
  const days = await api.expect(200, `/users/${userId}/summaries/sleep?${range}`);
  return { nights: await nightsOf(userId), days };
}

t.test('a short sleep by day is a nap where the provider does not say it', async (t) => {
  const { series } = Summary.parse(recentCase('25-withings-nap/summary.json').body);
  const { nights, days } = await withingsOf(series);
  t.match(nights, [
    { is_nap: false, duration_seconds: 25_200 },
    { is_nap: true, duration_seconds: 2100 },
  ]);
  t.match(days, { data: [{ duration_minutes: 420, nap_duration_minutes: 35 }] });
});

t.test('a short sleep by night, a long one by day, and one on a clock far away', async (t) => {
  const { series } = Summary.parse(recentCase('25-withings-nap/summary.json').body);
  const [, nap] = series;
  if (nap === undefined) throw new Error('no nap');
  // 14:00 in Paris is 22:00 or 23:00 in Tokyo.
  const at = (id: number, hours: number, lasts: number, timezone = 'Europe/Paris') => ({
    ...{ ...nap, id, timezone, startdate: nap.startdate + hours * 3600 },
    enddate: nap.startdate + (hours + lasts) * 3600,
  });
  const { nights } = await withingsOf([
    at(1, 11, 1),
    at(2, 24, 4),
    at(3, 48, 1, 'Asia/Tokyo'),
    at(4, 72, 2.9, 'Europe/Paris'),
  ]);
  t.same(
    nights.map(({ is_nap }) => is_nap),
    [false, false, false, true],
  );
});

async function recoveryDays(userId: string): Promise<Record<string, string>> {
  const Scores = z.object({ data: z.array(z.object({ value: z.number(), date: z.string() })) });
  const { data } = Scores.parse(await api.expect(200, `/users/${userId}/scores?kind=recovery&${range}`));
  return Object.fromEntries(data.map(({ value, date }) => [value, date]).sort());
}

for (const name of ['auckland', 'travel-la-tokyo'])
  t.test(`recoveries without an offset are of the day on which their night ends: ${name}`, async (t) => {
    const { body } = recentCase(`data/whoop-recovery-${name}.json`);
    const { sleep, recovery, want } = z
      .object({
        sleep: z.array(z.unknown()),
        recovery: z.array(z.unknown()),
        want: z.record(z.string(), z.string()),
      })
      .parse(body);
    for (const order of [sleep, sleep.toReversed()]) {
      answers.set('/v2/activity/sleep', { records: order });
      answers.set('/v2/recovery', { records: recovery });
      const userId = await connected('whoop');
      await backfilled(userId, 'whoop', { days: 30 });
      t.same(await recoveryDays(userId), want);
      await backfilled(userId, 'whoop', { days: 30 });
      t.same(await recoveryDays(userId), want, 'read again');
    }
  });

t.test('a night that is not scored has a time in bed and no time asleep', async (t) => {
  const { body } = recentCase('data/whoop-unscorable.json');
  answers.set('/v2/activity/sleep', { records: body });
  answers.delete('/v2/recovery');
  const userId = await connected('whoop');
  await backfilled(userId, 'whoop');
  const nights = await nightsOf(userId);
  t.same(
    nights.map(({ duration_seconds }) => duration_seconds),
    [24_360, null, null],
  );
  const hours = nights.map(
    ({ start_time, end_time }) => (Date.parse(end_time) - Date.parse(start_time)) / 3_600_000,
  );
  t.same(hours, [9, 8, 9]);
  const days = await api.expect(200, `/users/${userId}/summaries/sleep?${range}`);
  const Days = z.object({
    data: z.array(z.object({ date: z.string(), duration_minutes: z.number().nullable() })),
  });
  const minutes = Days.parse(days).data.toSorted((a, b) => (a.date < b.date ? -1 : 1));
  t.same(
    minutes.map(({ duration_minutes }) => duration_minutes),
    [406, null, null],
  );
});

async function assertTokyo(t: Test, order: 'whole' | 'samples first'): Promise<void> {
  const { body } = recentCase('data/polar-zone-tokyo.json');
  const Records = z.array(PolarNight);
  const { nights, recharges, days, hr, want } = z
    .object({
      ...{ nights: Records, recharges: Records, hr: Records, days: z.array(z.unknown()) },
      want: z.array(z.tuple([z.string(), z.string(), z.number()])),
    })
    .parse(body);
  const userId = await connected('polar');
  if (order === 'samples first') {
    answerPolar({ recharges, days, hr });
    await backfilled(userId, 'polar');
  }
  answerPolar({ nights, recharges, days, hr });
  await backfilled(userId, 'polar');
  const found = await samplesOf(userId, 'heart_rate_variability_rmssd,respiratory_rate,steps,heart_rate');
  // The nights have heart rates of their own, with an offset.
  const ofNights = /T1[47]:15:00Z heart_rate (62|54)$/;
  t.same(
    found.filter((line) => !ofNights.test(line)),
    want.map((parts) => parts.join(' ')).sort(),
  );
}

for (const order of ['whole', 'samples first'] as const)
  t.test(`clock times without a zone are of the clock of their night: ${order}`, (t) =>
    assertTokyo(t, order),
  );
