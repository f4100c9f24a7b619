import { isKept } from '../../../domain/provider/field-table.ts';
import { dataTypes, fields } from '../../../providers/googlehealth/data-types.ts';
import { sampled, summed } from '../../../providers/googlehealth/records.ts';
import { intervalRows, itemRows, readableOf } from './readable.ts';
import type { FieldCase } from './removal.ts';

const nowMs = Date.parse('2026-06-01T00:00:00Z');
const interval = {
  ...{ startTime: '2026-03-01T06:10:00Z', endTime: '2026-03-01T06:41:00Z', startUtcOffset: '7200s' },
  ...{ endUtcOffset: '7200s', civilStartTime: {}, civilEndTime: {} },
};
const sampleTime = { physicalTime: '2026-03-01T06:10:00Z', utcOffset: '7200s', civilTime: {} };
const date = { year: 2026, month: 3, day: 1 };
const sources = [
  { displayName: 'Watch 2', formFactor: 'WATCH' },
  { model: 'W2', formFactor: 'WATCH' },
  { manufacturer: 'Maker', formFactor: 'WATCH' },
].map((device, index) => ({
  ...{ platform: 'FITBIT', device },
  ...(index === 0 ? { recordingMethod: 'MANUAL' } : { application: { packageName: 'com.example.app' } }),
}));
const points = (member: object) =>
  sources.map((dataSource) => ({ name: 'users/1/dataTypes/x/dataPoints/a', dataSource, ...member }));

function read(type: string, pass: string) {
  return (item: unknown) => {
    const made = dataTypes[type]?.normalise({ records: { [pass]: [item] }, span: null, nowMs });
    const { intervals = [], sources: from = [] } = made?.intervals ?? {};
    return readableOf([...(made?.items ?? []).flatMap(itemRows), ...intervalRows(intervals, from)]);
  };
}

/** An object with a value at a path. */
function at(path: string, value: unknown): object {
  const [name = '', ...rest] = path.split('.');
  return { [name]: rest.length === 0 ? value : at(rest.join('.'), value) };
}

/** What a member of a type has beside its values. */
const beside: Readonly<Record<string, object>> = {
  'daily-resting-heart-rate': { dailyRestingHeartRateMetadata: { calculationMethod: 'WITH_SLEEP' } },
  'daily-sleep-temperature-derivations': {
    ...{ baselineTemperatureCelsius: 33.8, relativeNightlyStddev30dCelsius: 0.4 },
  },
};

const levelsOf = (activityLevel: string) => ({
  activeMinutesByActivityLevel: [{ activityLevel, activeMinutes: 20 }],
});
/** `heartRate` of `heart-rate`. */
const memberOf = (type: string) => type.replace(/-(.)/g, (_, next: string) => next.toUpperCase());
const levels = 'activeMinutesByActivityLevel';
const summedCases = Object.entries(summed).map(([type, numbers]): [string, FieldCase] => {
  const member = memberOf(type);
  const plain = Object.keys(numbers).filter((path) => path !== levels);
  const items = [
    ...plain.flatMap((path) => points({ [member]: { interval, ...at(path, 80) } })),
    ...(levels in numbers
      ? ['LIGHT', 'MODERATE'].flatMap((level) => points({ [member]: { interval, ...levelsOf(level) } }))
      : []),
  ];
  return [type, { table: fields[type] ?? {}, items, read: read(type, 'list') }];
});
/** Values that their series accept, where 40 is none. */
const inRange: Readonly<Record<string, number>> = { weight: 70_000, height: 1800 };
const sampledCases = Object.entries(sampled).map(([type, table]): [string, FieldCase] => {
  const time = type.startsWith('daily') ? { date } : { sampleTime };
  const paths = Object.entries(table).flatMap(([path, field]) => (isKept(field) ? [path] : []));
  const numbers = Object.assign({ ...beside[type] }, ...paths.map((path) => at(path, inRange[type] ?? 40)));
  const of = type === 'run-vo2-max' ? 'vo2-max' : type;
  const items = points({ [memberOf(type)]: { ...time, ...numbers } });
  return [type, { table: fields[type] ?? {}, items, read: read(of, type) }];
});

const summary = {
  ...{ minutesInSleepPeriod: '31', minutesAsleep: '25', minutesAwake: '5', minutesToFallAsleep: '4' },
  ...{ minutesAfterWakeUp: '2', stagesSummary: [{ type: 'DEEP', minutes: '20', count: '1' }] },
};
const stamps = { createTime: '2026-03-01T07:00:00Z', updateTime: '2026-03-01T07:05:00Z' };
const night = {
  interval,
  type: 'STAGES',
  metadata: { nap: false, externalId: 'x', stagesStatus: 'OK', mainSleep: true, processed: true },
  summary,
  ...stamps,
};
const { civilStartTime: _start, civilEndTime: _end, ...stageTime } = interval;
const stages = [{ ...stageTime, type: 'DEEP' }];
const { stagesSummary: _, ...unstaged } = summary;
const exercise = {
  ...{ interval, exerciseType: 'TRAIL_RUNNING', activeDuration: '1830s', displayName: 'Run', notes: 'easy' },
  ...{ ...stamps, exerciseEvents: [{ exerciseEventType: 'START' }], exerciseMetadata: {} },
  metricsSummary: {
    heartRateZoneDurations: {
      ...{ lightTime: '60s', moderateTime: '600s', vigorousTime: '1170s', peakTime: '0s' },
    },
    ...{ caloriesKcal: 300, distanceMillimeters: '5000000', steps: '6000', elevationGainMillimeters: 9000 },
    ...{ averageSpeedMillimetersPerSecond: 2700, averageHeartRateBeatsPerMinute: 140 },
    ...{
      maxHeartRateBeatsPerMinute: 160,
      averagePaceSecondsPerMeter: 0.37,
      mobilityMetrics: { avgCadenceStepsPerMinute: 168 },
      activeZoneMinutes: '20',
      runVo2Max: 44,
    },
  },
};

/** All data types. */
export const googlehealthCases: Readonly<Record<string, FieldCase>> = {
  ...Object.fromEntries([...summedCases, ...sampledCases]),
  sleep: {
    table: fields.sleep ?? {},
    items: [night, { ...night, stages }, { ...night, summary: unstaged }].flatMap((sleep) =>
      points({ sleep }),
    ),
    read: read('sleep', 'list'),
  },
  exercise: { table: fields.exercise ?? {}, items: points({ exercise }), read: read('exercise', 'list') },
};
