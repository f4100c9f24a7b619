import t from 'tap';
import { dateAfter } from '../../../domain/insights/day-results.ts';
import { hourMs, minuteMs } from '../../../domain/time/time.ts';
import { activity, at, block, day, item, night, sleep, workout } from '../timeseries/items.ts';
import { startInsights } from './setting.ts';

const s = await startInsights(t);
const date = '2026-03-01';
const eve = (time: string) => at(time, '2026-02-28');

async function factsOf(userId: string, of = date) {
  await s.work(userId);
  return (await s.days(userId)).find((one) => one.date === of)?.facts;
}

t.test('of two devices one counts: the night with more sleep, the day of the first provider', async (t) => {
  const id = await s.user();
  const watch = sleep(eve('22:00:00'), 400, { date, deep_seconds: 3600, rem_seconds: 3600 });
  const ring = sleep(eve('22:10:00'), 420, { date, device: 'Ring 4' });
  const stages = {
    stage_intervals: [
      ['deep', 0, 3600] as const,
      ['awake', 3600, 4200] as const,
      ['rem', 4200, 24000] as const,
    ],
  };
  await s.store(id, [night([{ ...watch, stage_intervals: stages.stage_intervals.map((one) => [...one]) }])]);
  await s.store(id, [night([ring])], 'oura');
  const rates = (value: number, device: string) =>
    item({
      key: `rate ${value}`,
      samples: [block('resting_heart_rate', [[at('08:00:00'), value]], { device })],
    });
  await s.store(id, [rates(50, 'Watch 7')]);
  await s.store(id, [rates(60, 'Ring 4')], 'oura');
  const facts = await factsOf(id);
  t.match(facts, {
    values: {
      sleep_duration: [420, 'oura', 'Ring 4', 1],
      resting_heart_rate: [50, 'devicemaker', 'Watch 7', 1],
    },
    night: { asleep: 420, deep: null, rem: null, awakenings: [] },
  });
  t.equal((await s.database.query('select from insights.day where user_id = $1', [id])).length, 1);
});

t.test('times awake count between falling asleep and waking; a nap is sleep, and no night', async (t) => {
  const id = await s.user();
  await s.store(id, [
    night([
      sleep(eve('22:00:00'), 480, {
        ...{ date, zone_offset_minutes: 60, deep_seconds: 5400, rem_seconds: 6000, asleep_seconds: 26_400 },
        stage_intervals: [
          ['awake', 0, 600],
          ['deep', 600, 6000],
          ['awake', 6000, 6300],
          ['awake', 6300, 6900],
          ['rem', 6900, 28_200],
          ['awake', 28_200, 28_800],
        ],
      }),
      sleep(at('13:00:00'), 30, { date, is_nap: true }),
    ]),
  ]);
  t.match(await factsOf(id), {
    night: { asleep: 440, deep: 90, rem: 100, bedtime: 660, middle: 900, awake: 15, awakenings: [15] },
    spans: [
      [670, 760],
      [775, 1130],
      [1560, 1590],
    ],
  });
  const [row] = await s.days(id);
  t.match(row?.scores, { sleep_score: { reason: 'no_earlier_night' } });
});

t.test('a day with a nap only has no night', async (t) => {
  const id = await s.user();
  await s.store(id, [night([sleep(at('13:00:00'), 40, { date, is_nap: true })])]);
  const facts = await factsOf(id);
  t.same(Object.keys(facts ?? {}), ['spans']);
});

t.test('bedtimes are those of the clock of each night, of a traveller and in a clock change', async (t) => {
  const id = await s.user();
  const lastOf = { '2026-03-27': 60, '2026-03-28': 60, '2026-03-29': 120, '2026-03-30': -240 };
  for (const [wake, offset] of Object.entries(lastOf)) {
    const bedtime = Date.parse(`${wake}T00:00:00Z`) - hourMs - offset * minuteMs;
    await s.store(id, [
      night([sleep(bedtime, 420, { date: wake, zone_offset_minutes: offset })], { key: wake }),
    ]);
  }
  await s.work(id);
  const days = await s.days(id);
  t.same(
    days.map(({ facts }) =>
      facts.night instanceof Object && 'bedtime' in facts.night ? facts.night.bedtime : null,
    ),
    [660, 660, 660, 660],
  );
  t.match(days.at(-1)?.scores, {
    sleep_score: { reason: 'no_stages' },
    sleep_regularity: { reason: 'too_few_days' },
  });
});

t.test('heart rate variability is of the stages of sleep, otherwise of the day', async (t) => {
  const id = await s.user();
  const inNight = (minute: number) => eve('22:00:00') + minute * minuteMs;
  await s.store(id, [
    night([
      sleep(eve('22:00:00'), 100, {
        date,
        stage_intervals: [
          ['light', 0, 3000],
          ['awake', 3000, 4500],
          ['rem', 4500, 6000],
        ],
      }),
    ]),
    item({
      key: 'hrv',
      samples: [
        block('heart_rate_variability_rmssd', [
          [inNight(10), 40],
          [inNight(60), 90],
          [inNight(80), 50],
          [inNight(101), 99],
        ]),
        block('heart_rate_variability_sdnn', [[at('12:00:00'), 70]]),
      ],
    }),
  ]);
  t.match(await factsOf(id), {
    values: { hrv_rmssd: [45, 'devicemaker', 'Watch 7', 2], hrv_sdnn: [70, 'devicemaker', 'Watch 7', 1] },
    night: { rmssd: [45, 2], sdnn: null },
  });
});

t.test('a heart rate holds until the next one, at most a minute', async (t) => {
  const id = await s.user();
  const start = at('10:00:00');
  await s.store(id, [
    activity(workout(start, 20, { zone_offset_minutes: 0, type: 'cycling' })),
    item({
      key: 'heart',
      samples: [
        block('heart_rate', [
          [start - minuteMs, 99],
          [start, 120],
          [start + 30_000, 130.4],
          [start + 5 * minuteMs, 120],
          [start + 1_190_000, 150],
          [start + 20 * minuteMs, 160],
        ]),
      ],
    }),
  ]);
  t.match(await factsOf(id), {
    workouts: 1,
    heart: [
      [120, 90],
      [130, 60],
      [150, 10],
    ],
  });
});

t.test('a steady run estimates the oxygen uptake, and the value of a provider comes first', async (t) => {
  const id = await s.user();
  const start = at('10:00:00');
  const heart = Array.from({ length: 121 }, (_, index): [number, number] => [start + index * 10_000, 150]);
  await s.store(id, [
    activity(workout(start, 20, { zone_offset_minutes: 0, distance_meters: 3600 })),
    item({ key: 'heart', samples: [block('heart_rate', heart)] }),
    item({ key: 'rest', samples: [block('resting_heart_rate', [[at('08:00:00'), 50]])] }),
  ]);
  t.match(await factsOf(id), { run: { seconds: 1200, metersPerMinute: 180, bpm: 150, grade: 0 } });
  await s.store(id, [item({ key: 'vo2', samples: [block('vo2_max', [[at('11:00:00'), 48.5]])] })]);
  await s.work(id);
  const [row] = await s.days(id);
  t.match(row?.training, { oxygen_uptake: { value: 48.5, source: ['devicemaker', 'Watch 7'] } });
});

t.test('minutes of activity are those of the summary, and the cadence that of minutes', async (t) => {
  const id = await s.user();
  const samples = Array.from({ length: 700 }, (_, index): [number, number] => [
    at('06:00:00') + index * minuteMs,
    index < 40 ? 80 + index : 0,
  ]);
  await s.store(id, [
    item({
      day: day(date, {
        moderate_seconds: 1250,
        vigorous_seconds: 600,
        active_seconds: 3600,
        duration_seconds: 86_400,
      }),
    }),
    item({ key: 'steps', samples: [block('steps', samples)] }),
  ]);
  const facts = await factsOf(id);
  t.match(facts, { active: [20, 10], cadence: [700, { length: 30 }] });
  const [row] = await s.days(id);
  t.match(row?.scores, { peak_cadence: { value: 104.5, confidence: 1 } });
});

t.test('samples of an evening belong to the night after it, also if they come later', async (t) => {
  const id = await s.user();
  await s.store(id, [night([sleep(eve('21:00:00'), 480, { date })])]);
  t.match(await factsOf(id), { night: { rmssd: null } });
  const evening = block('heart_rate_variability_rmssd', [[eve('21:30:00'), 44]]);
  await s.store(id, [item({ key: 'evening', samples: [evening] })]);
  t.match(await factsOf(id), { night: { rmssd: [44, 1] } });
});

t.test('time awake within a night is wake for the regularity', async (t) => {
  const id = await s.user();
  // Every second night has an hour awake; in between, time asleep without stages counts as a whole.
  for (let index = 0; index < 6; index++) {
    const staged = {
      asleep_seconds: 420 * 60,
      stage_intervals: [
        ['light', 0, 7200] as const,
        ['awake', 7200, 10_800] as const,
        ['rem', 10_800, 28_800] as const,
      ],
    };
    const { stage_intervals, ...seconds } = staged;
    const wake = dateAfter(date, index);
    await s.store(id, [
      night(
        [
          sleep(Date.parse(`${wake}T00:00:00Z`) - 2 * hourMs, 480, {
            date: wake,
            ...(index % 2 === 0
              ? { ...seconds, stage_intervals: stage_intervals.map((one) => [...one]) }
              : {}),
          }),
        ],
        { key: wake },
      ),
    ]);
  }
  await s.work(id);
  const days = await s.days(id);
  // Of each of five pairs of days 60 of 1,440 minutes differ.
  const value = -100 + (200 * (1440 - 60)) / 1440;
  t.match(days.at(-1)?.scores, { sleep_regularity: { value, reason: null } });
});
