import type { Collection } from '../../domain/recipe/collection.ts';
import { normaliserOf } from '../../domain/recipe/record-type.ts';
import { normaliseActivity } from '../../providers/activitynet/normalise/activity.ts';
import { streamSamples, streamTrack, trackKeys } from '../../providers/activitynet/normalise/streams.ts';
import { dataTypeOf } from '../../providers/devicemaker/data-types.ts';
import { readAppleRecord } from '../../providers/file/apple.ts';
import { readAppleWorkout } from '../../providers/file/apple-workout.ts';
import { readRow } from '../../providers/file/csv.ts';
import { fitActivities, mostSessions } from '../../providers/file/fit.ts';
import { fitHealth } from '../../providers/file/fit-health.ts';
import { pointOf, recordingOf } from '../../providers/file/points.ts';
import { readRecording } from '../../providers/file/recording.ts';
import { dataTypes as googleTypes } from '../../providers/googlehealth/data-types.ts';
import { eventTypes } from '../../providers/phone/normalise/event.ts';
import { recordTypes } from '../../providers/phone/normalise/record.ts';
import { readItem } from '../../providers/phone/upload.ts';
import { types as withingsTypes } from '../../providers/withings/types.ts';
import * as activities from '../fixtures/activitynet/activities.ts';
import { typeCases, typesNowMs } from '../fixtures/devicemaker/types.ts';
import * as files from '../fixtures/files.ts';
import { listedFixtures } from '../fixtures/listed.ts';
import * as rows from '../fixtures/withings/records.ts';

/** What the normalisers of each provider make of the fixtures. */
export const normalisedFixtures: Readonly<Record<string, () => unknown>> = {
  devicemaker: () =>
    typeCases.flatMap(({ type, items }) =>
      items('account').map((item) => dataTypeOf(type)?.normalise(item, typesNowMs)),
    ),
  activitynet: ofActivities,
  phone: ofPhones,
  googlehealth: ofGoogle,
  withings: ofWithings,
  file: ofFiles,
  ...Object.fromEntries(
    listedFixtures.map(({ name, collections, bodies }) => [name, () => ofListed(collections, bodies)]),
  ),
};

function ofListed(
  collections: Readonly<Record<string, Collection>>,
  bodies: Readonly<Record<string, readonly unknown[]>>,
) {
  return Object.entries(collections).map(([name, collection]) =>
    normaliserOf(name, collection)({ records: { list: bodies[name] ?? [] }, span: null, nowMs: afterMs }),
  );
}

const afterMs = Date.parse('2026-06-01T00:00:00Z');

function ofActivities(): unknown {
  const { run, ride, swim, hike, weights, manual, virtualRide, eBikeRide } = activities;
  const all = [run, ride, swim, hike, weights, manual, virtualRide, eBikeRide].map((of) => of('7'));
  const made = all.map((one) => normaliseActivity(one, afterMs));
  const values = Object.fromEntries(
    trackKeys.map((key) => [
      key,
      (second: number) => (key === 'latlng' ? [48 + second / 1e4, 11] : second % 50),
    ]),
  );
  const [first] = made;
  const workout = first?.workout ?? { start_ms: 0, end_ms: 0, zone_offset_minutes: 0, device: 'unknown' };
  const streams = activities.streams(60, values);
  return [made, streamSamples(streams, workout, afterMs), streamTrack(streams, workout.start_ms)];
}

function ofPhones(): unknown {
  const span = { startDate: '2026-03-02T08:00:00Z', endDate: '2026-03-02T08:05:00Z', zoneOffset: '+02:00' };
  const source = { bundleIdentifier: 'com.apple.health.1', deviceName: 'Watch', deviceModel: 'Watch7,1' };
  const item = { ...span, id: 'one', source };
  const read = (list: Parameters<typeof readItem>[0], fields: object) =>
    readItem(list, { ...item, ...fields }, afterMs);
  return [
    [...recordTypes.keys()]
      .toSorted()
      .flatMap((type) =>
        [0.5, 40].flatMap((value) =>
          [null, '%', 'kcal', 'count'].map((unit) => read('records', { type, value, unit })),
        ),
      ),
    [...eventTypes.keys()].flatMap((type) =>
      [0, 1, 2, 3, 4, 5, 6, 7].flatMap((value) =>
        [null, 'kcal', 'g', 'mcg'].map((unit) =>
          read('records', {
            type,
            value,
            unit,
            parentId: 'meal',
            metadata: { title: 'Soup', mealType: 'Lunch' },
          }),
        ),
      ),
    ),
    ['manual', 'active'].map((recordingMethod) =>
      read('records', { type: 'WEIGHT', value: 70, unit: 'kg', source: { ...source, recordingMethod } }),
    ),
    read('records', { type: 'BASAL_METABOLIC_RATE', value: 1600, unit: 'kcal', endDate: null }),
    ['deep', 'light', 'rem', 'awake', 'in_bed', 'sleeping'].map((stage) => read('sleep', { stage })),
    ['running', 'HIIT', 'SWIMMING_POOL'].map((type) => read('workouts', { type, values: [] })),
    read('deleted', {}),
  ];
}

function ofFiles(): unknown {
  const { filesNowMs: nowMs, csvRows, appleRecordElements, appleWorkoutElement, fitFiles } = files;
  const rules = { stores: true, zones: [], version: 1 };
  const traced = files.traces.map(({ head, points, laps }) =>
    recordingOf({ head, segments: [points.flatMap((point) => pointOf(point) ?? [])], laps, untimed: 0 }),
  );
  const parts = fitFiles.map((messages) => ({ messages, isCut: false }));
  const recorded = parts.flatMap(
    (part) => fitActivities(part, { nowMs, timeZone: null, room: mostSessions }).recordings,
  );
  return [
    csvRows.map((row) => readRow(row, nowMs)),
    appleRecordElements.map((element) => readAppleRecord(element, nowMs, files.clock)),
    readAppleWorkout(appleWorkoutElement, nowMs, files.clock),
    [...traced, ...recorded].map((recording) => readRecording(recording, rules, nowMs)),
    parts.flatMap((part) => [...fitHealth(part, nowMs)]),
  ];
}

function ofWithings(): unknown {
  const {
    group,
    pressure,
    day,
    importedDay,
    intraday,
    workout,
    night,
    importedNight,
    stage,
    bedtime,
    morning,
  } = rows;
  const given: Readonly<Record<keyof typeof withingsTypes, Record<string, unknown[]>>> = {
    measures: { rows: [group(), pressure()] },
    days: { rows: [day(), importedDay()] },
    intraday: { entries: [intraday(morning, { steps: 20, calories: 1.5 })] },
    workouts: { rows: [workout()] },
    sleep: { rows: [night(), importedNight(), stage(bedtime, bedtime + 3600, 1)] },
  };
  const span = { startMs: (morning - 86_400) * 1000, endMs: rows.nowMs };
  return Object.entries(given).map(([name, records]) =>
    Reflect.get(withingsTypes, name).normalise({ records, span, nowMs: rows.nowMs }),
  );
}

function ofGoogle(): unknown {
  const startMs = Date.parse('2026-03-01T06:00:00Z');
  const interval = {
    startTime: '2026-03-01T06:10:00Z',
    endTime: '2026-03-01T06:41:00Z',
    startUtcOffset: '7200s',
  };
  const sampleTime = { physicalTime: '2026-03-01T06:10:00Z', utcOffset: '-18000s' };
  const dataSource = { device: { displayName: 'Watch 2', formFactor: 'WATCH' } };
  const point = (member: object) => ({ name: 'users/1/dataTypes/x/dataPoints/a', dataSource, ...member });
  const points: Readonly<Record<string, object>> = {
    steps: { steps: { interval, count: 88 } },
    distance: { distance: { interval, millimeters: 1500 } },
    'hydration-log': { hydrationLog: { interval, amountConsumed: { milliliters: 250 } } },
    weight: { weight: { sampleTime, weightGrams: '70500' } },
    'body-fat': {
      ...{ dataSource: { ...dataSource, recordingMethod: 'MANUAL' } },
      bodyFat: { sampleTime, percentage: 21 },
    },
    'heart-rate-variability': {
      heartRateVariability: {
        ...{ sampleTime, rootMeanSquareOfSuccessiveDifferencesMilliseconds: 41 },
        standardDeviationMilliseconds: 52,
      },
    },
    sleep: {
      sleep: { interval, metadata: { nap: false }, stages: [{ ...interval, type: 'DEEP' }] },
    },
    exercise: {
      exercise: {
        ...{ interval, exerciseType: 'TRAIL_RUNNING', activeDuration: '1830s' },
        metricsSummary: { caloriesKcal: 300, distanceMillimeters: '5000000', steps: '6000' },
      },
    },
  };
  return Object.entries(points).map(([type, member]) => {
    const found = googleTypes[type];
    const passes = Object.keys(found?.passes ?? {}).map((pass) => [pass, [point(member)]]);
    const span = { startMs, endMs: startMs + 3_600_000 };
    return found?.normalise({ records: Object.fromEntries(passes), span, nowMs: afterMs });
  });
}
