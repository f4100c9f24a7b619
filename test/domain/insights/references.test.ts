import t from 'tap';
import { weekOfActivity } from '../../../domain/insights/activity-goals.ts';
import { madScale } from '../../../domain/insights/baseline.ts';
import { estimatedOxygenUptake } from '../../../domain/insights/fitness.ts';
import { glucoseReportOf } from '../../../domain/insights/glucose.ts';
import { banisterImpulse, edwardsImpulse } from '../../../domain/insights/heart-rate-load.ts';
import { regularityIndex } from '../../../domain/insights/regularity.ts';
import { sleepScoreOf } from '../../../domain/insights/sleep-score.ts';
import { median, medianAbsoluteDeviation } from '../../../domain/insights/statistics.ts';
import { acuteChronicRatio, fitnessAndFatigue, monotonyOf } from '../../../domain/insights/training-load.ts';
import { same } from './same.ts';

/** Numbers that the references publish themselves. */
const times = (count: number, value: number) => Array.from({ length: count }, () => value);
const rounded = (value: number | null | undefined, digits: number) => (value ?? Number.NaN).toFixed(digits);

// Bergenstal 2018, table 1. 154 mg/dL, a laboratory HbA1c of 7.0 % in the ADAG study, is 7.0 % here too.
t.test('the glucose management indicator of its table', async (t) => {
  const table = {
    ...{ 100: '5.7', 125: '6.3', 150: '6.9', 154: '7.0', 175: '7.5', 200: '8.1' },
    ...{ 225: '8.7', 250: '9.3', 275: '9.9', 300: '10.5', 350: '11.7' },
  };
  const gmiOf = (mgPerDl: number) => {
    const values = Array.from({ length: 1344 }, (_, index) => ({ mgPerDl, minuteOfDay: (index % 96) * 15 }));
    return rounded(glucoseReportOf(values, 15).value?.gmiPercent, 1);
  };
  const actual = Object.keys(table).map((mgPerDl) => [mgPerDl, gmiOf(Number(mgPerDl))]);
  t.same(Object.fromEntries(actual), table);
});

// Leys 2013: median 7, distances with the median 3.5, times 1.4826.
t.test('the median absolute deviation of the worked example', async (t) => {
  const values = [1, 3, 3, 6, 8, 10, 10, 1000];
  t.equal(median(values), 7);
  t.equal(rounded(medianAbsoluteDeviation(values) * madScale, 4), '5.1891');
});

// The worked example of fellrnr.com/wiki/TRIMP: 30 minutes at 130 bpm, 40 at rest, 200 at most are 32; a minute of men is at most 4.37.
// That of women, 0.86 e^1.67, is 4.57.
t.test('the impulse of a minute at the maximum, and of a worked example', async (t) => {
  const heart = { restBpm: 40, maxBpm: 200 };
  const atMost = (sex: 'female' | 'male') => banisterImpulse([{ bpm: 200, seconds: 60 }], heart, sex).value;
  t.equal(rounded(atMost('male'), 2), '4.37');
  t.equal(rounded(atMost('female'), 2), '4.57');
  t.equal(rounded(banisterImpulse([{ bpm: 130, seconds: 1800 }], heart, 'male').value, 0), '32');
});

// Edwards 1993: a point a minute in the first zone to five in the fifth.
t.test('ten minutes in each zone are 150 points', async (t) => {
  const spans = [100, 120, 140, 160, 180].map((bpm) => ({ bpm, seconds: 600 }));
  t.ok(same(edwardsImpulse(spans, 200).value, 150));
});

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const known = Array.from({ length: 8 }, () => true);

// Phillips 2017: 100 for a periodic sleeper, 0 for a random one; the lowest value is -100.
t.test('the regularity of a constant schedule is 100, that of the opposite each day -100', async (t) => {
  const night = (day: number, from: number, minutes: number) => {
    const startMs = day * dayMs + from * minuteMs;
    return { startMs, endMs: startMs + minutes * minuteMs };
  };
  const indexOf = (spans: ReturnType<typeof night>[]) => regularityIndex(spans, { startMs: 0, known }).value;
  t.equal(indexOf(known.map((_, day) => night(day, 660, 480))), 100);
  t.equal(indexOf(known.map((_, day) => night(day, day % 2 === 0 ? 0 : 720, 720))), -100);
  // Equal in half of the minutes, as at random.
  t.equal(indexOf(known.map((_, day) => night(day, [0, 360, 720, 360][day % 4] ?? 0, 720))), 0);
});

// Foster 1998: the mean divided by the standard deviation, which equal days do not have.
t.test('the monotony of equal days is not defined', async (t) => {
  t.equal(monotonyOf([3.2, 3.2, 3.2, 3.2, 3.2, 3.2, 3.2]).reason, 'no_variation');
});

// The impulse response of Banister 1991: after as many days as the time constant has, a constant load is reached to 1 - 1/e.
t.test('the means reach 63.2 % of a constant load after 42 and 7 days', async (t) => {
  const after = (days: number) => fitnessAndFatigue([...times(60 - days, 0), ...times(days, 100)]);
  t.ok(same(after(42).value?.chronic, 100 * (1 - Math.exp(-1))));
  t.ok(same(after(7).value?.acute, 100 * (1 - Math.exp(-1))));
});

// Williams 2017: a load that does not change has a ratio of 1; a share of 2 / (N + 1) for the newest day.
t.test(
  'the ratio of a constant load is 1, and a first load weighs a quarter to two twenty-ninths',
  async (t) => {
    t.ok(same(acuteChronicRatio(times(40, 55.5)).value, 1));
    t.ok(same(acuteChronicRatio([...times(27, 0), 100]).value, 0.25 / (2 / 29)));
  },
);

// World Health Organization 2020: 150 minutes of moderate or 75 of vigorous activity, or an equivalent combination.
t.test('150 moderate or 75 vigorous minutes reach the guideline', async (t) => {
  const reaches = (moderateMinutes: number, vigorousMinutes: number) => {
    const idle = { moderateMinutes: 0, vigorousMinutes: 0 };
    return weekOfActivity([idle, idle, idle, { moderateMinutes, vigorousMinutes }]).value?.isReached;
  };
  t.same([reaches(150, 0), reaches(0, 75), reaches(50, 50)], [true, true, true]);
  t.same([reaches(149, 0), reaches(0, 74), reaches(51, 49)], [false, false, false]);
});

// ACSM: running at 160.8 m/min (6 mph) takes 35.7 ml/(kg·min) on the level and 2.9 more at 2 %. Here at 90 % of the reserve.
t.test('the oxygen uptake of running is that of the metabolic equation', async (t) => {
  const heart = { restBpm: 50, maxBpm: 150 };
  const usedAt = (grade: number) => {
    const run = { seconds: 1200, metersPerMinute: 160.8, grade, bpm: 140 };
    return 3.5 + 0.9 * ((estimatedOxygenUptake(run, heart).value ?? 0) - 3.5);
  };
  t.equal(rounded(usedAt(0), 1), '35.7');
  t.equal(rounded(usedAt(0.02), 1), '38.6');
});

const perfect = {
  ...{ asleepMinutes: 480, deepMinutes: 90, remMinutes: 90, awakeMinutes: 0, awakenings: [] },
  ...{ bedtimeMinutes: 660, earlierBedtimes: [660] },
};
const usual = { duration: 100, stages: 100, consistency: 100, interruptions: 100 };
type Night = Parameters<typeof sleepScoreOf>[0];
type Components = NonNullable<ReturnType<typeof sleepScoreOf>['value']>['components'];

// Open Wearables: the tables of docs/scores/sleep-score.mdx, and backend/tests/algorithms/test_sleep_algorithms.py.
const sleepRows: readonly [Partial<Night>, Partial<Components>][] = [
  [{ asleepMinutes: 420 }, { duration: 100 }],
  [{ asleepMinutes: 540 }, { duration: 100 }],
  [{ asleepMinutes: 720 }, { duration: 50 }],
  [{ asleepMinutes: 900 }, { duration: 50 }],
  [{ deepMinutes: 45 }, { stages: 75 }],
  [{ deepMinutes: 0 }, { stages: 50 }],
  [{ deepMinutes: 22.5, remMinutes: 22.5 }, { stages: 25 }],
  [{ deepMinutes: 200, remMinutes: 200 }, { stages: 100 }],
  [{ deepMinutes: -10, remMinutes: 0 }, { stages: 0 }],
  [{ bedtimeMinutes: 665 }, { consistency: 100 }],
  [{ bedtimeMinutes: 690 }, { consistency: 85 }],
  [{ bedtimeMinutes: 820 }, { consistency: 0 }],
  [{ bedtimeMinutes: 540 }, { consistency: 80 }],
  [{ earlierBedtimes: [660, 660, 660, 780] }, { consistency: 100 }],
  [{ awakeMinutes: 20 }, { interruptions: 100 }],
  [{ awakeMinutes: 90 }, { interruptions: 20 }],
  [{ awakenings: [6] }, { interruptions: 100 }],
  [{ awakenings: times(2, 6) }, { interruptions: 95 }],
  [{ awakenings: times(3, 6) }, { interruptions: 90 }],
  [{ awakenings: times(4, 6) }, { interruptions: 80 }],
  [{ awakenings: times(10, 6) }, { interruptions: 80 }],
  [{ awakenings: [3, 4, 5] }, { interruptions: 100 }],
  [{ awakenings: [5, 5, 6] }, { interruptions: 100 }],
];

t.test('the components of the sleep score are those of its documentation and tests', async (t) => {
  const offenders = sleepRows.filter(([change, wanted]) => {
    const { components } = sleepScoreOf({ ...perfect, ...change }).value ?? {};
    return !same(components, { ...usual, ...wanted });
  });
  t.same(offenders, []);
});

// In floating point, as Open Wearables computes it: 90.99999999999999 is cut to 90.
t.test('the cut of the sleep score is that of the reference', async (t) => {
  const score = (change: Partial<Night>) => sleepScoreOf({ ...perfect, ...change }).value;
  // Stages (59 + 71) / 2 = 65; 20 minutes late, 5 beyond the grace: 95.2; awake 4.375 minutes beyond the grace: 95.
  const near = { deepMinutes: 53.5, remMinutes: 64, bedtimeMinutes: 680, awakeMinutes: 24.375 };
  t.same(score(near), {
    score: 90,
    components: { duration: 100, stages: 65, consistency: 95, interruptions: 95 },
  });
  // 36 minutes late lose 20 points: from 23:40 on 36 minutes and 80 points, from 23:00 on 36.000000000000085 and 79.
  const late = (bedtimeMinutes: number) =>
    score({ bedtimeMinutes: bedtimeMinutes + 36, earlierBedtimes: [bedtimeMinutes] })?.components.consistency;
  t.same([late(700), late(660)], [80, 79]);
});

// The weights are a setting there, too.
t.test('other weights give another score of the same components', async (t) => {
  const weights = { duration: 0, stages: 0.5, consistency: 0.25, interruptions: 0.25 };
  const { value } = sleepScoreOf({ ...perfect, asleepMinutes: 300, deepMinutes: 0 }, weights);
  // (1 + e^-3) / 2 = 0.5249.
  t.same(value, { score: 75, components: { ...usual, duration: 52, stages: 50 } });
});
