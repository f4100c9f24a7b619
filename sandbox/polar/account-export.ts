import { createHash } from 'node:crypto';
import type { WriteArchive } from '../files/archives.ts';
import { recordedRun } from '../files/recorded-run.ts';
import { type ZippedFile, zipOf } from '../files/zip.ts';
import { type PhoneItem, phoneDays } from '../phone/days.ts';

/** The user whose export is written. */
export interface FlowUser {
  readonly seed: string;
  /** Midnight of the first day of the user's clock, in UTC milliseconds. */
  readonly startMs: number;
  readonly days: number;
  readonly offsetMinutes: number;
}

/** What the export contains, to compare with what is stored. */
export interface FlowLedger {
  readonly steps: readonly number[];
  /** The nights from the first one on, with the seconds asleep and the scores. */
  readonly nights: readonly {
    readonly startMs: number;
    readonly endMs: number;
    readonly asleepSeconds: number;
  }[];
  readonly scores: readonly number[];
  readonly recoveries: number;
  /** Instants with a heart rate: of days outside of sessions, and of sessions. */
  readonly heartRates: readonly number[];
  readonly mets: number;
  /** The starts of workouts: the runs, of which one has two legs, and one of an old form. */
  readonly workouts: readonly number[];
  readonly distanceMeters: number;
  readonly laps: number;
  /** Workouts with a track. */
  readonly tracks: number;
  readonly fitnessTests: number;
}

/** An export as its members, which a test may change. */
export interface FlowExport {
  readonly files: readonly ZippedFile[];
  readonly ledger: FlowLedger;
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const folder = 'polar-user-data-export';

/** An export of Polar Flow, with its oddities. */
export function flowExport({ seed, startMs, days, offsetMinutes }: FlowUser): FlowExport {
  const files: ZippedFile[] = [];
  const add = (begin: string, document: unknown) => {
    const hex = createHash('sha256').update(`${seed} ${begin}`).digest('hex');
    const uuid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
    // A value that was not measured is no JSON.
    const text = JSON.stringify(document).replaceAll('"no value"', 'NaN');
    files.push({ name: `${folder}/${begin}-${uuid}.json`, bytes: Buffer.from(text) });
  };
  const clock = { offsetMinutes, local: (ms: number) => isoOf(ms + offsetMinutes * minuteMs).slice(0, 19) };
  const { data, steps } = phoneDays({ seed, startMs, days });
  const midnights = steps.map((_, day) => startMs + day * dayMs);
  const trained = addSessions(add, data.workouts, clock);
  const nights = addNights(add, data.sleep, midnights, clock);
  const rates = data.records.filter(({ type }) => `${type}`.endsWith('HeartRate'));
  const resting = addHeartRates(add, rates, { midnights, trained: trained.spans }, clock);
  const mets = addDays(add, data.records, { midnights, steps }, clock);
  const [first = startMs] = midnights;
  add(`fitness-test-results-1-${clock.local(first).slice(0, 10)}-08-00-00-000`, {
    startTime: `${clock.local(first + 8 * hourMs)}.000`,
    fitnessTestResult: { ownIndex: 44, timezoneOffsetMinutes: offsetMinutes },
  });
  for (const begin of unread) add(`${begin}-1`, {});
  files.push({ name: `${folder}/profile-picture-1-100.data`, bytes: Buffer.from('no picture') });
  const { spans: _, instants, ...sessions } = trained;
  const heartRates = [...new Set([...resting, ...instants])].toSorted((a, b) => a - b);
  return { files, ledger: { steps, ...nights, ...sessions, heartRates, mets, fitnessTests: 1 } };
}

const unread = ['ppi_samples', 'nightly_recovery_blob', 'calendar-items', 'training-target', 'account-data'];

type Add = (begin: string, document: unknown) => void;
interface Clock {
  readonly offsetMinutes: number;
  readonly local: (ms: number) => string;
}

const isoOf = (ms: number) => new Date(ms).toISOString();
const startOf = ({ startDate }: PhoneItem) => Date.parse(startDate);
const endOf = ({ endDate }: PhoneItem) => Date.parse(endDate);

/** The run of each day: the second one without an offset, the third one in two legs. On the first day one of an old form. */
function addSessions(add: Add, workouts: readonly PhoneItem[], { local, offsetMinutes }: Clock) {
  const spans: [number, number][] = [];
  const instants: number[] = [];
  const starts: number[] = [];
  const legOf = (run: PhoneItem, startMs: number, endMs: number, meters: number) => {
    const points = recordedRun(run.id, startMs, endMs).points;
    starts.push(startMs);
    instants.push(...points.slice(1).map(({ ms }) => ms));
    const regular = (type: string, values: readonly unknown[]) => ({
      type,
      intervalMillis: 10_000,
      values,
    });
    return {
      identifier: { id: `leg ${startMs}` },
      startTime: local(startMs),
      stopTime: local(endMs),
      durationMillis: endMs - startMs - minuteMs,
      distanceMeters: meters,
      sport: { id: '1' },
      ascentMeters: 21,
      descentMeters: 20,
      samples: {
        samples: [
          regular('HEART_RATE', ['no value', ...points.slice(1).map(({ heartRate }) => heartRate)]),
          regular(
            'SPEED',
            points.map((_, index) => (index % 9 === 0 ? 'NaN' : 10.08)),
          ),
          regular(
            'ALTITUDE',
            points.map(({ altitude }) => altitude),
          ),
          regular(
            'LEFT_CRANK_CURRENT_TORQUE',
            points.map(() => 1),
          ),
        ],
      },
      routes: {
        route: {
          // The route begins when the position is known.
          startTime: local(startMs + 10_000),
          wayPoints: points.slice(1).map(({ ms, latitude, longitude, altitude }) => ({
            latitude,
            longitude,
            altitude,
            elapsedMillis: ms - startMs - 10_000,
          })),
        },
      },
      laps: {
        laps: [5, 9].map((minutes, index) => ({
          splitTimeMillis: minutes * minuteMs,
          durationMillis: (index === 0 ? 5 : 4) * minuteMs,
          distanceMeters: 900,
        })),
        autoLaps: [{ splitTimeMillis: 6 * minuteMs, durationMillis: 6 * minuteMs, distanceMeters: 1000 }],
      },
    };
  };
  for (const [index, run] of workouts.entries()) {
    const [start, end] = [startOf(run), endOf(run)];
    const middle = (start + end) / 2;
    const legs =
      index === 2
        ? [legOf(run, start, middle, 3000), legOf(run, middle + 10_000, end, 4100)]
        : [legOf(run, start, end, 7050)];
    spans.push([start, end]);
    const name = `training-session_${local(start).replaceAll(':', '-')}_${100_000 + index}`;
    add(name, {
      identifier: { id: `${100_000 + index}` },
      startTime: local(start),
      stopTime: local(end),
      ...(index === 1 ? {} : { timezoneOffsetMinutes: offsetMinutes }),
      durationMillis: end - start - minuteMs,
      distanceMeters: 7100,
      calories: 420,
      hrAvg: 148,
      hrMax: 171,
      name: '',
      sport: { id: '1' },
      product: { modelName: 'Polar Vantage M' },
      exercises: legs,
    });
  }
  const [first] = workouts;
  const oldStart = (first === undefined ? 0 : startOf(first)) - 11 * hourMs;
  const old = recordedRun('old', oldStart, oldStart + 20 * minuteMs).points;
  spans.push([oldStart, oldStart + 20 * minuteMs]);
  starts.push(oldStart);
  instants.push(...old.map(({ ms }) => ms));
  const whole = {
    startTime: `${local(oldStart)}.000`,
    stopTime: `${local(oldStart + 20 * minuteMs)}.000`,
    timezoneOffset: offsetMinutes,
    duration: 'PT20M',
    distance: 3000,
    kiloCalories: 200,
    sport: 'RUNNING',
  };
  add(`training-session-${local(oldStart).slice(0, 10)}-99999`, {
    exportVersion: '1.6',
    ...whole,
    exercises: [
      {
        ...whole,
        samples: {
          heartRate: old.map(({ ms, heartRate }) => ({ dateTime: `${local(ms)}.000`, value: heartRate })),
        },
      },
    ],
  });
  const legs = starts.length - 1;
  return {
    spans,
    instants,
    workouts: starts,
    distanceMeters: 7100 * workouts.length + 3000,
    laps: 2 * legs,
    tracks: legs,
  };
}

const states: Readonly<Record<string, string>> = {
  awake: 'WAKE',
  core: 'NONREM2',
  deep: 'NONREM3',
  rem: 'REM',
};
const durationOf = (seconds: number) => `PT${Math.floor(seconds / 60)}M${seconds % 60}S`;

/** The nights, of which the last one is from before there were stages. */
function addNights(add: Add, phases: readonly PhoneItem[], midnights: readonly number[], clock: Clock) {
  const { local, offsetMinutes } = clock;
  const size = Math.abs(offsetMinutes);
  const two = (value: number) => String(value).padStart(2, '0');
  const zone = `${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  const made = midnights.map((midnight, index) => {
    const own = phases.filter(
      (phase) => phase.stage !== 'in_bed' && Math.abs(startOf(phase) - midnight - 3 * hourMs) < 9 * hourMs,
    );
    const [startMs, endMs] = [
      startOf(own[0] ?? own[1] ?? { startDate: '', endDate: '', id: '' }),
      Math.max(...own.map(endOf)),
    ];
    const secondsIn = (stage: string) =>
      own.reduce(
        (sum, phase) => sum + (phase.stage === stage ? (endOf(phase) - startOf(phase)) / 1000 : 0),
        0,
      );
    const asleepSeconds = secondsIn('core') + secondsIn('deep') + secondsIn('rem');
    const isStaged = index < midnights.length - 1;
    const changes = own.map((phase) => ({
      offsetFromStart: durationOf((startOf(phase) - startMs) / 1000),
      state: states[`${phase.stage}`],
    }));
    const night = local(midnight).slice(0, 10);
    return {
      ledger: { startMs, endMs, asleepSeconds },
      night,
      result: {
        night,
        sleepResult: {
          hypnogram: {
            sleepStart: `${local(startMs)}${zone}`,
            sleepEnd: `${local(endMs)}${zone}`,
            // The user wakes up after the end.
            sleepStateChanges: isStaged
              ? [...changes, { offsetFromStart: durationOf((endMs - startMs) / 1000 + 60), state: 'WAKE' }]
              : [],
            batteryRanOut: false,
          },
        },
        evaluation: {
          asleepDuration: durationOf(asleepSeconds),
          analysis: { efficiencyPercent: 91.5 },
          ...(isStaged
            ? {
                phaseDurations: {
                  light: durationOf(secondsIn('core')),
                  deep: durationOf(secondsIn('deep')),
                  rem: durationOf(secondsIn('rem')),
                  wake: durationOf(secondsIn('awake')),
                },
              }
            : {}),
        },
      },
    };
  });
  add(
    'sleep_result_1',
    made.map(({ result }) => result),
  );
  // Not every night has a score.
  const scored = made
    .slice(1)
    .map(({ night }, index) => ({ night, sleepScoreResult: { sleepScore: 70 + index } }));
  add('sleep_score_1', scored);
  const recoveries = made.map(({ night }, index) => ({
    night,
    recoveryIndicator: 1 + (index % 6),
    meanNightlyRecoveryRmssd: 40 + index,
    meanNightlyRecoveryRespirationInterval: 4000,
    ansStatus: 1.5,
  }));
  add('nightly_recovery_1', recoveries);
  return {
    nights: made.map(({ ledger }) => ledger),
    scores: scored.map(({ sleepScoreResult }) => sleepScoreResult.sleepScore),
    recoveries: recoveries.length,
  };
}

interface Resting {
  readonly midnights: readonly number[];
  readonly trained: readonly (readonly [number, number])[];
}

/** The heart rates of days, beside which a second device was worn on the first one. They go on in the sessions. */
function addHeartRates(
  add: Add,
  rates: readonly PhoneItem[],
  { midnights, trained }: Resting,
  { local }: Clock,
): number[] {
  const instants: number[] = [];
  const isTrained = (ms: number) => trained.some(([from, to]) => ms >= from && ms <= to);
  const deviceDays = midnights.flatMap((midnight, index) => {
    const own = rates.filter((rate) => startOf(rate) >= midnight && startOf(rate) < midnight + dayMs);
    instants.push(...own.map(startOf).filter((ms) => !isTrained(ms)));
    const day = (deviceId: string, samples: readonly (readonly [number, number])[]) => ({
      date: local(midnight).slice(0, 10),
      deviceId,
      samples: samples.map(([ms, heartRate]) => ({ heartRate, secondsFromDayStart: (ms - midnight) / 1000 })),
    });
    const first = day('0A', [
      [midnight + 1000, 0],
      ...own.map((rate) => [startOf(rate), Number(rate.value)] as const),
    ]);
    if (index > 0) return [first];
    instants.push(midnight + 2 * minuteMs + 20_000);
    return [
      first,
      day('0B', [
        [midnight + 20_000, 99],
        [midnight + 2 * minuteMs + 20_000, 61],
      ]),
    ];
  });
  for (const [month, days] of Map.groupBy(deviceDays, ({ date }) => date.slice(0, 7).replace('-', '_')))
    add(`247ohr_${month}`, { deviceDays: days });
  return instants;
}

interface Counted {
  readonly midnights: readonly number[];
  readonly steps: readonly number[];
}

/** The days, of which the second one has no summary. */
function addDays(
  add: Add,
  records: readonly PhoneItem[],
  { midnights, steps }: Counted,
  { local }: Clock,
): number {
  const counted = records.filter(
    ({ type, source }) =>
      `${type}`.endsWith('StepCount') && Reflect.get(Object(source), 'deviceType') === 'watch',
  );
  for (const [index, midnight] of midnights.entries()) {
    const date = local(midnight).slice(0, 10);
    const own = counted.filter((record) => startOf(record) >= midnight && startOf(record) < midnight + dayMs);
    const timeOf = (ms: number) => `${local(ms).slice(11)}.000`;
    const stepCount = steps[index] ?? 0;
    add(`activity-${date}`, {
      date,
      exportVersion: '2.6',
      ...(index === 1 ? {} : { summary: { stepCount, stepsDistance: stepCount * 0.75, calories: 2400 } }),
      samples: {
        steps: own.map((record) => ({ localTime: timeOf(startOf(record)), value: Number(record.value) })),
        mets: Array.from({ length: 24 }, (_, hour) => ({
          localTime: timeOf(midnight + hour * hourMs),
          value: 1.5,
        })),
      },
    });
  }
  return midnights.length * 24;
}

/** The export as `npm run sandbox-files` writes it. */
export const accountArchive: WriteArchive = (user) => {
  const { files, ledger } = flowExport({ ...user, offsetMinutes: 0 });
  const { steps, nights, scores, workouts, heartRates, ...numbers } = ledger;
  const counts = { nights: nights.length, scores: scores.length, workouts: workouts.length };
  const all = {
    heartRates: heartRates.length,
    steps: steps.reduce((sum, count) => sum + count, 0),
    ...numbers,
    ...counts,
  };
  return { file: 'polar-user-data-export.zip', bytes: zipOf(files), numbers: all };
};
