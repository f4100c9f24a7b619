import { eventTypeOf } from '../../../providers/phone/normalise/event.ts';
import { fields } from '../../../providers/phone/provider.ts';
import { readItem, type UploadItem, type UploadList } from '../../../providers/phone/upload.ts';
import { common, intervalRows, itemRows, readableOf } from './readable.ts';
import type { FieldCase } from './removal.ts';

const nowMs = Date.parse('2026-06-01T00:00:00Z');
const source = {
  ...{ bundleIdentifier: 'com.example.app', version: '1', productType: 'Watch7,1', deviceModel: 'Watch7,2' },
  ...{
    operatingSystemVersion: { majorVersion: 26 },
    deviceManufacturer: 'Apple',
    deviceHardwareVersion: '1',
  },
  ...{ deviceSoftwareVersion: '2', deviceType: 'watch', recordingMethod: 'automatic', deviceId: 'd' },
};
const base = {
  ...{ id: 'one', parentId: 'p', startDate: '2026-03-02T08:00:00Z', endDate: '2026-03-02T08:05:00Z' },
  ...{ zoneOffset: '+02:00', source },
};
const { bundleIdentifier: _, deviceModel: __, ...plain } = source;
/** Names are used in this order, so that each source has another one. */
const sources = [
  source,
  { ...plain, appId: 'com.example.app' },
  { ...plain, appId: 'com.example.app', name: 'App', deviceName: 'Watch', deviceType: 'ring' },
  { ...plain, recordingMethod: 'manual' },
];
const walk = { type: 'DISTANCE', value: 1.2, unit: 'km' };
const sample = (type: string, unit: string, value: number) => ({
  ...{ timestamp: '2026-03-02T08:01:00Z', type, value, unit },
});
const point = {
  ...{ timestamp: '2026-03-02T08:01:00Z', latitude: 52.2, longitude: 21, altitudeM: 142 },
  ...{ horizontalAccuracyM: 3.5, verticalAccuracyM: 2 },
};
const manual = { metadata: { HKWasUserEntered: false } };
const squats = {
  ...{ startDate: '2026-03-02T08:00:00Z', endDate: '2026-03-02T08:02:00Z' },
  ...{ type: 'squat', repetitions: 12 },
};
const lap = { startDate: '2026-03-02T08:01:00Z', endDate: '2026-03-02T08:03:00Z', distanceM: 400 };
const run = {
  ...{
    ...base,
    type: 'running',
    title: 'Run',
    notes: 'easy',
    segments: [squats],
    laps: [lap],
    route: [point],
  },
  values: [{ type: 'distance', value: 5.2, unit: 'km' }],
  samples: [sample('heartRate', 'bpm', 110), sample('speed', 'km/h', 9)],
  ...manual,
};

const read = (list: UploadList) => (item: unknown) => rowsOf(readItem(list, item, nowMs));

function rowsOf(read: UploadItem) {
  if (read.list === 'records') {
    const { record } = read;
    const { kind, series: type, source: one, ...span } = record;
    return readableOf([
      [`series.${type}`, record],
      ...intervalRows([], [one]),
      ['key', span.id],
      ...common(span),
    ]);
  }
  if (read.list === 'workouts') return readableOf(itemRows(read.workout));
  if (read.list === 'events') return readableOf(itemRows(read.event));
  if (read.list === 'deleted') return readableOf([['key', [read.id, read.mayBeWorkout]]]);
  if (read.list !== 'sleep') return readableOf([]);
  const { stage, score, source: one, id, ...span } = read.phase;
  const rows = [
    ['key', id],
    ['sleep.stage_intervals', [stage, span]],
    ['sleep.score', score],
  ] as const;
  return readableOf([...rows, ['source', one], ...common(span)]);
}

/** An item of each type of event. Each is read on its own. */
const eventItems = {
  protein: { ...base, type: 'DIETARY_PROTEIN', value: 38, unit: 'g', ...manual },
  meal: { ...base, type: 'FOOD', metadata: { title: 'Soup', mealType: 'dinner' } },
  egg: {
    ...{ ...base, type: 'HKQuantityTypeIdentifierDietaryProtein', value: 12, unit: 'mg' },
    metadata: { HKFoodType: 'Egg', HKFoodMeal: 'Lunch', HKTimeZone: 'Asia/Tokyo' },
    zoneOffset: null,
  },
  flow: {
    ...{ ...base, type: 'HKCategoryTypeIdentifierMenstrualFlow', value: 2 },
    metadata: { HKMenstrualCycleStart: true },
  },
  activity: {
    ...{ ...base, type: 'HKCategoryTypeIdentifierSexualActivity', value: 0 },
    metadata: { HKSexualActivityProtectionUsed: true },
  },
};

function eachEvent(item: unknown) {
  const made = Object.entries(Object(item)).flatMap(([type, values]) =>
    Object.values(Object(values)).map((value) => {
      const metadata = eventTypeOf(type)?.type === 'nutrition' ? { title: type, mealType: type } : {};
      return readItem('records', { ...base, type, value, unit: null, metadata }, nowMs);
    }),
  );
  return readableOf(made.flatMap((one) => (one.list === 'events' ? itemRows(one.event) : [])));
}

/** HealthKit states no offset; apps state the zone in the metadata. */
const zoned = { ...base, zoneOffset: null, metadata: { HKTimeZone: 'America/New_York' } };
const withSources = (item: object) => sources.map((one) => ({ ...item, source: one }));
const ofTypes = (own: object) =>
  Object.fromEntries(Object.keys(own).map((type) => [type, [0.001, 0.4, 7, 40]]));

function eachRecord(item: unknown) {
  const given = Object.entries(Object(item)).flatMap(([type, values]) =>
    Object.values(Object(values)).flatMap((value) =>
      [base.endDate, base.startDate].map((endDate) => ({ ...base, type, value, unit: null, endDate })),
    ),
  );
  const made = given.map((one) => readItem('records', one, nowMs));
  return readableOf(
    made.flatMap((one) =>
      one.list === 'records' ? [[`series.${one.record.series}`, one.record] as const] : [],
    ),
  );
}

const typesOf = [...new Set(Object.keys(fields.workoutValues).map((path) => path.split('.')[0] ?? ''))];

function valueOfType(type: string) {
  const hasUnit = Object.hasOwn(fields.workoutValues, `${type}.unit`);
  return [type, { value: type === 'indoorWorkout' ? 1 : 7, ...(hasUnit ? { unit: 'kcal' } : {}) }] as const;
}

function eachValue(item: unknown) {
  const values = Object.entries(Object(item)).map(([type, one]) => ({ type, ...Object(one) }));
  return values.length === 0 ? readableOf([]) : read('workouts')({ ...run, values });
}

/** The lists of uploads, the types of records, and the values of workouts by type. */
export const phoneCases: Readonly<Record<string, FieldCase>> = {
  records: {
    table: fields.records,
    items: [...withSources({ ...base, ...walk, ...manual }), { ...zoned, ...walk }],
    read: read('records'),
  },
  events: {
    table: fields.events,
    items: Object.values(eventItems).flatMap(withSources),
    read: read('records'),
  },
  eventTypes: {
    table: fields.eventTypes,
    // A cycle record has the number 0 if it has no finding.
    items: [Object.fromEntries(Object.keys(fields.eventTypes).map((type) => [type, [0, 1]]))],
    read: eachEvent,
  },
  recordTypes: { table: fields.recordTypes, items: [ofTypes(fields.recordTypes)], read: eachRecord },
  sleep: {
    table: fields.sleep,
    items: [
      ...withSources({
        ...base,
        stage: 'deep',
        metadata: {},
        values: [{ type: 'sleepScore', value: 20, unit: 'score' }],
      }),
      { ...zoned, stage: 'deep' },
    ],
    read: read('sleep'),
  },
  workouts: {
    table: fields.workouts,
    items: [...withSources(run), { ...run, ...zoned }],
    read: read('workouts'),
  },
  workoutValues: {
    table: fields.workoutValues,
    items: [typesOf, ...typesOf.map((type) => [type])].map((names) =>
      Object.fromEntries(names.map(valueOfType)),
    ),
    read: eachValue,
  },
  deleted: {
    table: fields.deleted,
    items: [{ id: 'one', type: 'STEP_COUNT' }],
    read: read('deleted'),
  },
};
