import t from 'tap';
import type { ChartSeries, ListedSleepSession, Workout } from '../../clients/typescript/src/index.ts';
import { axisOf } from '../../console/src/parts/day/day-axis.ts';
import { labelRows, lanesOf, placesOf, scaleOf } from '../../console/src/parts/day/lane-layout.ts';
import {
  gapText,
  lineText,
  sleepText,
  stepsText,
  workoutsText,
} from '../../console/src/parts/day/lane-texts.ts';
import { isEmpty, type Picture, pictureOf } from '../../console/src/parts/day/picture.ts';
import { momentText, readingsAt, readingsOfDay } from '../../console/src/parts/day/readings.ts';

const zone = '+02:00';
const axis = axisOf('2026-11-24', zone);
const watch = { provider: 'devicemaker', device: 'Watch' };
const ring = { provider: 'oura', device: 'Ring' };
const time = (clock: string, day = '2026-11-24') => new Date(`${day}T${clock}:00${zone}`).toISOString();
/** The spaces of a formatted time are narrow ones. */
const plain = (text: string) => text.replaceAll('\u202f', ' ');

function series(
  type: ChartSeries['type'],
  source: typeof watch,
  values: Readonly<Record<string, number>>,
): ChartSeries {
  const [first = '00:00'] = Object.keys(values);
  const times = Object.keys(values).map((clock) => Date.parse(time(clock)) / 1000);
  return {
    ...{ type, source, unit: '', aggregate: 'mean', bucket_seconds: null, first_time: time(first) },
    statistics: { count: times.length, value: 0, min: 0, max: 0 },
    offset_seconds: times.map((at) => at - (times[0] ?? at)),
    value: Object.values(values),
  };
}

function sleep(
  id: string,
  from: string,
  to: string,
  more: Partial<ListedSleepSession> = {},
): ListedSleepSession {
  return {
    ...{ id, start_time: from, end_time: to, source: watch, is_nap: false, zone_offset: zone },
    duration_seconds: (Date.parse(to) - Date.parse(from)) / 1000,
    ...{ efficiency_percent: null, ...more },
    stages: { awake_minutes: null, light_minutes: null, deep_minutes: null, rem_minutes: null },
  };
}

function workout(start_time: string, end_time: string): Workout {
  return {
    ...{ id: start_time, type: 'running', name: 'Evening run', start_time, end_time, source: watch },
    ...{ duration_seconds: 2700, calories_kcal: null, distance_meters: null, avg_heart_rate_bpm: null },
    ...{
      max_heart_rate_bpm: null,
      avg_pace_sec_per_km: null,
      elevation_gain_meters: null,
      zone_offset: zone,
    },
  };
}

const stages = [
  { stage: 'light' as const, start_time: time('22:30', '2026-11-23'), end_time: time('02:00') },
  { stage: 'deep' as const, start_time: time('02:00'), end_time: time('06:30') },
];
const night = sleep('night', time('22:30', '2026-11-23'), time('06:30'), { stages_timeline: stages });

/** Two sources of heart rate, the same night from two, a nap, a run, and the beginning of the next night. */
function wholeDay(): Picture {
  const chart = {
    series: [
      series('heart_rate', ring, { '18:12': 139 }),
      series('heart_rate', watch, { '06:00': 48, '12:00': 60, '18:12': 141, '18:13': 142 }),
      series('steps', ring, { '18:00': 700 }),
      series('steps', watch, { '17:59': 100, '18:00': 500, '18:05': 900 }),
      series('oxygen_saturation', watch, { '03:00': 97, '03:30': 93 }),
    ],
  };
  const sleeps = [
    sleep('other', time('22:00', '2026-11-23'), time('07:00'), { source: ring }),
    sleep('next', time('23:00'), time('07:00', '2026-11-25')),
    sleep('nap', time('14:00'), time('14:30'), { is_nap: true }),
    sleep('before', time('22:00', '2026-11-22'), time('06:00', '2026-11-23')),
    night,
  ];
  const workouts = [
    workout(time('18:00'), time('18:45')),
    workout(time('18:00', '2026-11-23'), time('18:45', '2026-11-23')),
  ];
  return pictureOf(axis, { chart, sleeps, workouts, scores: [] }, axis.to);
}

t.test('each lane says what it shows in a sentence', async (t) => {
  const day = wholeDay();
  // the mean is that of the quarter hours: 48, 60, 140.5
  t.equal(plain(lineText(day.heart, zone)), 'from 48 to 142 bpm, mean 83, highest at 6:13 PM');
  t.equal(
    plain(sleepText(day)),
    '8 h asleep from 10:30 PM to 6:30 AM; nap from 2:00 PM to 2:30 PM; next night from 11:00 PM',
  );
  t.equal(
    day.steps === null ? '' : plain(stepsText(day.steps, axis)),
    '1,500 steps, most from 6:00 PM to 6:15 PM',
  );
  t.equal(workoutsText(day.workouts), 'Evening run, 45 min');
  t.equal(
    plain(day.lines.map((lane) => lineText(lane, zone)).join()),
    'from 93 to 97 %, mean 95, lowest at 3:30 AM',
  );
  t.equal(plain(day.gaps.map((gap) => gapText(gap, zone))[1] ?? ''), '6:00 AM to 12:00 PM (6 h)');
});

t.test('all values at an instant are read, of the fullest source first', async (t) => {
  const day = wholeDay();
  const at = (clock: string) => Date.parse(time(clock));
  t.equal(
    plain(momentText(day, at('18:12'))),
    '6:12 PM: heart rate 141 bpm, running, 1,400 steps in 15 minutes',
  );
  t.equal(plain(momentText(day, at('03:00'))), '3:00 AM: deep sleep, blood oxygen 97 %');
  t.equal(plain(momentText(day, at('09:00'))), '9:00 AM: nothing is known');
  const heart = readingsAt(day, at('18:12')).filter(({ id }) => id.startsWith('heart'));
  t.strictSame(
    heart.map(({ text, source }) => [text, source?.provider]),
    [
      ['141', 'devicemaker'],
      ['139', 'oura'],
    ],
  );
  t.strictSame(
    readingsOfDay(day).map(({ label, text, unit }) => [label, text + unit]),
    [
      ['Heart rate', '48–142 bpm'],
      ['Sleep', '8 h'],
      ['Workout', '1 workout'],
      ['Steps', '1,500'],
      ['Blood oxygen', '93–97 %'],
    ],
  );
});

t.test('stages are cut at midnight, and sleep without stages is one block', async (t) => {
  const { stages } = wholeDay();
  t.strictSame(
    stages.map(({ stage, from, to }) => [stage, (from - axis.from) / 60_000, (to - axis.from) / 60_000]),
    [
      ['light', 0, 120],
      ['deep', 120, 390],
      ['asleep', 840, 870],
      ['asleep', 1380, 1440],
    ],
  );
});

t.test('a lane without data has no place, and further lanes may be folded away', async (t) => {
  const day = wholeDay();
  t.strictSame(lanesOf(day, false), ['heart', 'sleep', 'activity', 'workouts', 'oxygen']);
  t.strictSame(lanesOf(day, true), ['heart', 'sleep', 'activity', 'workouts']);
  const empty = pictureOf(axis, { chart: { series: [] }, sleeps: [], workouts: [], scores: [] }, axis.to);
  t.strictSame([isEmpty(empty), isEmpty(day), lanesOf(empty, false)], [true, false, []]);
});

t.test('a label that does not fit into a line has more rows, and lanes lie below each other', async (t) => {
  const label = { id: 'heart' as const, title: 'Heart rate', text: 'x'.repeat(50), sources: ['Garmin'] };
  t.strictSame([labelRows(label, 900), labelRows(label, 400), labelRows(label, 200)], [1, 2, 3]);
  const { places, height } = placesOf([label, { ...label, id: 'sleep' }], 400, 1);
  const [first, second] = places;
  t.ok(first !== undefined && second !== undefined && second.top > first.plotTop + first.height);
  t.ok(second !== undefined && height > second.plotTop + second.height);
});

t.test('a scale contains all values and has round numbers', async (t) => {
  const { low, high, ticks } = scaleOf(wholeDay().heart, [40]);
  t.ok(low < 40 && high > 142);
  t.strictSame(ticks, [50, 100]);
});
