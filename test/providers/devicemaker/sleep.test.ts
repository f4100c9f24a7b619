import t from 'tap';
import { sleepRanks } from '../../../domain/records/records.ts';
import { sleeps as sleepType } from '../../../providers/devicemaker/fields/sleeps.ts';
import type { Normalised } from '../../../providers/devicemaker/normalise/item.ts';
import { sleep, sleepStart, tentativeSleep } from '../../fixtures/devicemaker/sleeps.ts';

const nowMs = (sleepStart + 86_400) * 1000;
const userId = 'account-1';
const startMs = sleepStart * 1000;
const minuteMs = 60_000;

function stored(result: Normalised) {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.problems)}`);
  return result.item;
}

function mainOf(changes: Record<string, unknown>) {
  return stored(sleepType.normalise(sleep(userId, changes), nowMs)).sleeps[0];
}

t.test('makes one session of a night, with every field that the table names', async (t) => {
  const item = stored(sleepType.normalise(sleep(userId), nowMs));
  t.match(item, {
    data_type: 'sleeps',
    key: String(sleepStart),
    supersede: 'sleep',
    duration_seconds: 450 * 60,
  });
  t.same(item.sleeps, [
    {
      start_ms: startMs,
      end_ms: startMs + 450 * minuteMs,
      zone_offset_minutes: 120,
      date: '2025-06-03',
      device: 'unknown',
      is_nap: false,
      rank: sleepRanks.final,
      asleep_seconds: 420 * 60,
      deep_seconds: 90 * 60,
      light_seconds: 200 * 60,
      rem_seconds: 130 * 60,
      awake_seconds: 30 * 60,
      unmeasurable_seconds: 0,
      interruptions: 2,
      score: 87,
      stage_intervals: [
        ['light', 0, 3600],
        ['deep', 3600, 7200],
        ['awake', 7200, 7800],
        ['light', 7800, 12_600],
        ['deep', 12_600, 14_400],
        ['rem', 14_400, 15_900],
        ['awake', 15_900, 16_200],
        ['light', 16_200, 19_800],
        ['rem', 19_800, 26_100],
        ['awake', 26_100, 27_000],
      ],
      details: {
        validation: 'ENHANCED_FINAL',
        score_qualifier: 'GOOD',
        score_parts: [
          { name: 'totalDuration', value: null, qualifier: 'FAIR' },
          { name: 'stress', value: null, qualifier: 'GOOD' },
        ],
        latency_seconds: null,
        extra: null,
      },
    },
  ]);
});

t.test('keeps the fields that the table lists as extra, and no others', async (t) => {
  const of = (changes: Record<string, unknown>) => mainOf(changes)?.details;
  t.strictSame(
    of({ totalNapDurationInSeconds: 1200, latitude: 52.5, token: 'x', restless: { count: 4 } })?.extra,
    {
      totalNapDurationInSeconds: 1200,
    },
  );
  t.match(of({ sleepScores: { stress: { value: 61 }, deep: 'x', rem: 80 }, overallSleepScore: 70 }), {
    score_qualifier: null,
    score_parts: [
      { name: 'stress', value: 61, qualifier: null },
      { name: 'rem', value: 80, qualifier: null },
    ],
  });
  const bare = { validation: undefined, sleepScores: undefined, overallSleepScore: undefined };
  t.equal(of(bare), null);
});

t.test('keeps intervals of known stages, and none where there are none or too many', async (t) => {
  const at = (from: number, to: number) => ({
    startTimeInSeconds: sleepStart + from,
    endTimeInSeconds: sleepStart + to,
  });
  const of = (sleepLevelsMap: unknown) => mainOf({ sleepLevelsMap })?.stage_intervals;
  t.same(of({ rem: [at(60, 90), at(0, 30)], restless: [at(0, 60)], awake: [at(90, 90)], deep: [{}] }), [
    ['rem', 0, 30],
    ['rem', 60, 90],
  ]);
  t.equal(of(undefined), null);
  t.equal(of({}), null);
  t.equal(of({ rem: Array.from({ length: 2001 }, (_, index) => at(index, index + 1)) }), null);
});

t.test('makes samples of oxygen and respiration from the start of the night', async (t) => {
  const { samples } = stored(sleepType.normalise(sleep(userId), nowMs));
  const source = { device: 'unknown', zone_offset_minutes: 120, base_ms: startMs };
  t.same(
    samples.map(({ type, at }) => [type, at.length, at[1]]),
    [
      ['oxygen_saturation', 450, 60_000],
      ['respiratory_rate', 450, 60_000],
    ],
  );
  t.match(samples[0], { ...source, values: [92, 93, 94, 95, 96, 97, 98, 92] });
  t.match(samples[1], { ...source, values: [12, 12.5, 13, 13.5, 14, 12] });
});

t.test('leaves placeholders of oxygen and respiration out', async (t) => {
  const changes = {
    timeOffsetSleepSpo2: { 0: 0, 60: 95, 120: -1, 180: 101 },
    timeOffsetSleepRespiration: { 0: -2, 60: 14 },
  };
  const result = sleepType.normalise(sleep(userId, changes), nowMs);
  t.same(
    stored(result).samples.map(({ type, at, values }) => [type, at, values]),
    [
      ['oxygen_saturation', [60_000], [95]],
      ['respiratory_rate', [60_000], [14]],
    ],
  );
  t.same(result.problems, [
    { field: 'timeOffsetSleepSpo2', reason: '1 of 4 values left out: 1 out of range' },
    { field: 'timeOffsetSleepSpo2', reason: 'placeholders', placeholders: 2 },
    { field: 'timeOffsetSleepRespiration', reason: 'placeholders', placeholders: 1 },
  ]);
});

const stages = {
  deepSleepDurationInSeconds: 3600,
  lightSleepDurationInSeconds: 7200,
  remSleepInSeconds: 1800,
};
const noStages = {
  deepSleepDurationInSeconds: null,
  lightSleepDurationInSeconds: null,
  remSleepInSeconds: null,
  awakeDurationInSeconds: null,
};
const noMap = { sleepLevelsMap: null, unmeasurableSleepInSeconds: null };
const ends: readonly [claim: string, changes: Record<string, unknown>, minutes: number][] = [
  ['the last interval of the map', { durationInSeconds: 60 }, 450],
  [
    'the sum of the stages',
    { ...noMap, ...stages, awakeDurationInSeconds: 600, durationInSeconds: 12_600 },
    220,
  ],
  ['the duration', { ...noMap, ...stages, awakeDurationInSeconds: 600, durationInSeconds: 18_000 }, 300],
  [
    'the sum with what was not measured',
    { ...noMap, ...stages, awakeDurationInSeconds: 0, unmeasurableSleepInSeconds: 900 },
    420,
  ],
];
for (const [claim, changes, minutes] of ends)
  t.test(`ends with ${claim} where that is the latest`, async (t) => {
    t.equal(mainOf(changes)?.end_ms, startMs + minutes * minuteMs);
  });

t.test('takes the stages from the map where their fields are missing', async (t) => {
  t.match(mainOf(noStages), {
    deep_seconds: 90 * 60,
    light_seconds: 200 * 60,
    rem_seconds: 130 * 60,
    awake_seconds: 30 * 60,
    asleep_seconds: 420 * 60,
  });
});

t.test('without any stage the time asleep is the session less its awake time', async (t) => {
  const bare = {
    userId,
    startTimeInSeconds: sleepStart,
    durationInSeconds: 3600,
    awakeDurationInSeconds: 600,
  };
  t.same(stored(sleepType.normalise(bare, nowMs)).sleeps, [
    {
      start_ms: startMs,
      end_ms: startMs + 60 * minuteMs,
      zone_offset_minutes: null,
      date: null,
      device: 'unknown',
      is_nap: false,
      rank: sleepRanks.unknown,
      asleep_seconds: 3000,
      deep_seconds: null,
      light_seconds: null,
      rem_seconds: null,
      awake_seconds: 600,
      unmeasurable_seconds: null,
      interruptions: null,
      score: null,
      stage_intervals: null,
      details: null,
    },
  ]);
});

const ranks: readonly [validation: unknown, rank: number][] = [
  ['AUTO_FINAL', 2],
  ['ENHANCED_FINAL', 2],
  ['MANUAL', 2],
  ['AUTO_MANUAL', 2],
  ['auto_final', 2],
  ['AUTO_TENTATIVE', 1],
  ['ENHANCED_TENTATIVE', 1],
  ['DEVICE', 0],
  ['OFF_WRIST', 0],
  [null, 0],
];
for (const [validation, rank] of ranks)
  t.test(`ranks ${validation} as ${rank}`, async (t) => t.equal(mainOf({ validation })?.rank, rank));

t.test('counts as interruptions the awake intervals strictly inside the session', async (t) => {
  const at = (from: number, to: number) => ({
    startTimeInSeconds: sleepStart + from * 60,
    endTimeInSeconds: sleepStart + to * 60,
  });
  const awake = [at(0, 5), at(100, 110), at(200, 200), at(440, 450)];
  t.equal(mainOf({ sleepLevelsMap: { awake, deep: [at(5, 450)] } })?.interruptions, 2);
  const none = { awake: [], deep: [at(5, 450)] };
  for (const awakeDurationInSeconds of [0, null])
    t.equal(mainOf({ awakeDurationInSeconds, sleepLevelsMap: none })?.interruptions, 0);
});

t.test('interruptions are null where awake intervals were not measured', async (t) => {
  const deep = [{ startTimeInSeconds: sleepStart, endTimeInSeconds: sleepStart + 27_000 }];
  for (const sleepLevelsMap of [null, {}, { deep }, { deep, awake: null }, { deep, awake: [{}] }])
    t.equal(mainOf({ sleepLevelsMap })?.interruptions, null, JSON.stringify(sleepLevelsMap));
  const empty = { deep: [], light: [], rem: [], awake: [] };
  const unstaged = { ...noStages, unmeasurableSleepInSeconds: 600, sleepLevelsMap: empty };
  t.equal(mainOf(unstaged)?.interruptions, null, 'no stage has any time');
  t.equal(mainOf({ awakeDurationInSeconds: 0, sleepLevelsMap: empty })?.interruptions, null, 'no intervals');
  const unlisted = { awakeDurationInSeconds: 600, sleepLevelsMap: { deep, awake: [] } };
  t.equal(mainOf(unlisted)?.interruptions, null, 'awake for a time without intervals');
});

t.test('reads the unmeasurable time under either name', async (t) => {
  const sent = { unmeasurableSleepInSeconds: undefined, unmeasurableSleepDurationInSeconds: 900 };
  t.equal(mainOf(sent)?.unmeasurable_seconds, 900);
  const hashOf = (changes: object) => stored(sleepType.normalise(sleep(userId, { ...changes }), nowMs)).hash;
  t.equal(hashOf(sent), hashOf({ unmeasurableSleepInSeconds: 900 }));
  t.equal(mainOf({ ...sent, durationInSeconds: 0 })?.end_ms, startMs + 465 * minuteMs, 'and in the length');
});

t.test('leaves intervals out that make no sense, and counts them', async (t) => {
  const good = { startTimeInSeconds: sleepStart, endTimeInSeconds: sleepStart + 600 };
  const deep = [
    good,
    { startTimeInSeconds: sleepStart + 600 },
    { startTimeInSeconds: sleepStart + 600, endTimeInSeconds: sleepStart },
    { startTimeInSeconds: sleepStart, endTimeInSeconds: sleepStart + 30 * 86_400 },
    { startTimeInSeconds: String(sleepStart), endTimeInSeconds: sleepStart + 60 },
    7,
  ];
  const changes = { ...noMap, ...stages, durationInSeconds: 600, sleepLevelsMap: { deep, rem: 'x' } };
  const result = sleepType.normalise(sleep(userId, changes), nowMs);
  t.equal(stored(result).sleeps[0]?.end_ms, startMs + 240 * minuteMs, 'nothing lies a month away');
  t.same(result.problems, [{ field: 'sleepLevelsMap', reason: '6 intervals left out: no start and end' }]);
});

t.test('makes a session of each nap, on the local day of its own end', async (t) => {
  const napStart = Date.UTC(2025, 5, 3, 21, 30) / 1000;
  const naps = [
    { napStartTimeInSeconds: napStart, napDurationInSeconds: 3600, napOffsetInSeconds: 10_800 },
    { napStartTimeInSeconds: napStart - 36_000, napDurationInSeconds: 1200 },
    { napStartTimeInSeconds: napStart },
    { napStartTimeInSeconds: 5, napDurationInSeconds: 600 },
  ];
  const result = sleepType.normalise(sleep(userId, { naps }), nowMs);
  const [main, late, noon, ...more] = stored(result).sleeps;
  t.equal(main?.is_nap, false);
  t.same(more, []);
  t.match(late, {
    is_nap: true,
    start_ms: napStart * 1000,
    end_ms: (napStart + 3600) * 1000,
    date: '2025-06-04',
    asleep_seconds: 3600,
    deep_seconds: null,
    awake_seconds: null,
    interruptions: null,
    zone_offset_minutes: 180,
  });
  t.match(noon, { is_nap: true, date: '2025-06-03', asleep_seconds: 1200, zone_offset_minutes: 120 });
  t.same(result.problems, [
    { field: 'naps[2].napDurationInSeconds', reason: 'is required' },
    { field: 'naps[3]', reason: 'is before 1990 or more than a day ahead' },
  ]);
});

t.test('makes no main session of an item that has naps only', async (t) => {
  const item = {
    userId,
    startTimeInSeconds: sleepStart,
    durationInSeconds: 0,
    naps: [{ napStartTimeInSeconds: sleepStart, napDurationInSeconds: 1800, napOffsetInSeconds: 7200 }],
  };
  const { sleeps, duration_seconds } = stored(sleepType.normalise(item, nowMs));
  t.same(
    sleeps.map(({ is_nap, asleep_seconds }) => [is_nap, asleep_seconds]),
    [[true, 1800]],
  );
  t.equal(duration_seconds, 0);
});

t.test('a date of the sender is the day, else the local day of waking up', async (t) => {
  t.equal(mainOf({ calendarDate: '2025-06-04' })?.date, '2025-06-04');
  t.equal(mainOf({ calendarDate: null })?.date, '2025-06-03');
});

t.test('takes the score as a number or as an object, and refuses one past 100', async (t) => {
  t.equal(mainOf({ overallSleepScore: 71.4 })?.score, 71);
  t.equal(mainOf({ overallSleepScore: null })?.score, null);
  const result = sleepType.normalise(sleep(userId, { overallSleepScore: { value: 170 } }), nowMs);
  t.equal(stored(result).sleeps[0]?.score, null);
  t.match(result.problems, [{ field: 'overallSleepScore' }]);
});

t.test('a tentative version of the night stands below the final one', async (t) => {
  const { sleeps } = stored(sleepType.normalise(tentativeSleep(userId), nowMs));
  t.match(sleeps, [{ rank: sleepRanks.tentative, asleep_seconds: 350 * 60, start_ms: startMs + 600_000 }]);
});

const broken: readonly [name: string, item: unknown, field: string][] = [
  ['no start', { userId, durationInSeconds: 3600 }, 'startTimeInSeconds'],
  ['nothing that tells an end', { userId, startTimeInSeconds: sleepStart }, 'durationInSeconds'],
  [
    'a duration in a text only',
    { userId, startTimeInSeconds: sleepStart, durationInSeconds: '3600' },
    'durationInSeconds',
  ],
  ['a start in milliseconds', sleep(userId, { startTimeInSeconds: startMs }), 'startTimeInSeconds'],
];
for (const [name, item, field] of broken)
  t.test(`refuses an item with ${name}`, async (t) => {
    const result = sleepType.normalise(item, nowMs);
    t.equal(result.ok, false);
    t.equal(result.problems.at(-1)?.field, field);
  });
