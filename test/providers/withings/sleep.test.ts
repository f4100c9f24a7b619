import t from 'tap';
import { StoreItem } from '../../../domain/records/records.ts';
import { bedtime, importedNight, morning, night, nowMs, stage } from '../../fixtures/withings/records.ts';
import { normaliseSleep, type SleepRead } from './normalise.ts';

const itemsOf = (read: Partial<SleepRead>) =>
  normaliseSleep({ nights: [], stages: [], ...read }, nowMs).items.map((item) => StoreItem.parse(item));

t.test('a night has the times of its summary and the stages of its details', async (t) => {
  const stages = [stage(0, 900, 0), stage(900, 9_000, 1), stage(9_000, 9_300, 0), stage(9_300, 28_800, 3)];
  const [item] = itemsOf({ nights: [night()], stages });
  t.same(item?.sleeps, [
    {
      ...{ start_ms: bedtime * 1000, end_ms: morning * 1000, zone_offset_minutes: 60, date: '2026-03-02' },
      ...{ device: 'Sleep mat', is_nap: false, rank: 2, asleep_seconds: 25_200, deep_seconds: 6_000 },
      ...{ light_seconds: 14_400, rem_seconds: 4_800, awake_seconds: 1_200, unmeasurable_seconds: null },
      ...{ interruptions: 3, score: 82 },
      stage_intervals: [
        ['awake', 0, 900],
        ['light', 900, 9_000],
        ['awake', 9_000, 9_300],
        ['rem', 9_300, 28_800],
      ],
      details: {
        ...{ validation: 'completed', score_qualifier: null, score_parts: [], latency_seconds: 900 },
        extra: { hr_average: 52, rr_average: 14, sleep_efficiency: 0.87, waso: 1800 },
      },
    },
  ]);
  t.equal(item?.supersede, 'sleep');
});

t.test('heart rates, respiration and variability of a night are samples', async (t) => {
  const [item] = itemsOf({ nights: [night()], stages: [stage(0, 600, 1)] });
  t.same(
    item?.samples.map(({ type, at, values }) => [type, at, values]),
    [
      ['heart_rate', [0, 60_000], [55, 54]],
      ['respiratory_rate', [0], [14]],
      ['heart_rate_variability_rmssd', [0, 28_800_000], [38, 61]],
    ],
  );
});

t.test('stages of another night, and of states without a name, are told apart', async (t) => {
  const stages = [stage(-7_200, -3_600, 2), stage(-60, 120, 2), stage(120, 300, 5), stage(30_000, 31_000, 1)];
  const [item] = itemsOf({ nights: [night()], stages });
  t.same(item?.sleeps[0]?.stage_intervals, [
    ['deep', 0, 120],
    ['unmeasurable', 120, 300],
  ]);
});

t.test('without stages the time awake comes from the summary', async (t) => {
  const [item] = itemsOf({ nights: [night()] });
  t.match(item?.sleeps[0], { awake_seconds: 3_600, stage_intervals: null, interruptions: 3 });
});

t.test('without times of stages the time awake in bed is not asleep', async (t) => {
  const data = { total_timeinbed: 28_800, total_sleep_time: 25_200 };
  t.match(itemsOf({ nights: [night({ data })] })[0]?.sleeps, [
    { asleep_seconds: 25_200, awake_seconds: 3_600 },
  ]);
});

t.test('a night that another maker measured gives way to any night of a device', async (t) => {
  const [own, imported] = itemsOf({ nights: [night(), importedNight()] });
  t.match(imported?.sleeps[0], { device: 'imported', rank: 1, asleep_seconds: 24_000, light_seconds: null });
  t.ok((own?.sleeps[0]?.rank ?? 0) > (imported?.sleeps[0]?.rank ?? 0));
});

t.test('a night that is not completed is tentative', async (t) => {
  t.match(itemsOf({ nights: [night({ completed: false })] })[0]?.sleeps[0], { rank: 1 });
});

t.test('unreadable and impossible nights are counted', async (t) => {
  const nights = [night({ enddate: bedtime }), night({ id: null }), night({ startdate: 5 })];
  t.same(normaliseSleep({ nights, stages: ['x'] }, nowMs).skipped, { time_out_of_range: 1, unreadable: 2 });
});
