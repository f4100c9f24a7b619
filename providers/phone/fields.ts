import { assumed, type FieldTable, kept, notKept } from '../../domain/provider/field-table.ts';
import { seriesOf } from '../../domain/records/series.ts';
import { events, eventTypes } from './event-fields.ts';
import { asSent, item } from './item-fields.ts';
import { recordTypeNames, recordTypeOf } from './normalise/record-types.ts';
import { workout, workoutValues } from './workout-fields.ts';

/** Samples and intervals. The records of `eventTypes` have a table of their own. */
const records: FieldTable = {
  ...item,
  type: kept(null, 'series.distance_walking_running'),
  value: kept(asSent, 'series.distance_walking_running'),
  unit: kept(null, 'series.distance_walking_running'),
  endDate: kept(null, 'end_time'),
  'source.deviceId': kept(null, 'source'),
  'source.deviceType': kept(null, 'source'),
  'source.recordingMethod': kept(null, 'source'),
  ...assumed({ 'metadata.HKWasUserEntered': kept(null, 'source') }),
};

/** The types that our documentation of the SDKs names. */
const confirmed: ReadonlySet<string> = new Set([
  ...['HEART_RATE', 'STEP_COUNT', 'DISTANCE', 'BODY_FAT', 'BMI', 'FLOORS_CLIMBED', 'HYDRATION'],
  ...['ACTIVE_CALORIES_BURNED', 'BASAL_METABOLIC_RATE', 'HEART_RATE_VARIABILITY'],
]);

/** The series of each type of `records`. */
const recordTypes: FieldTable = Object.fromEntries(
  recordTypeNames.flatMap((name) => {
    const type = recordTypeOf(name);
    if (type === undefined) return [];
    const instant = type.atInstant === undefined ? [] : ([`series.${type.atInstant}`] as const);
    const one = kept(
      `as its \`unit\` says, to ${seriesOf(type.series).unit}`,
      `series.${type.series}`,
      ...instant,
    );
    return [[name, confirmed.has(name) ? one : { ...one, assumed: true }]];
  }),
);

/** Phases of nights. */
const sleep: FieldTable = {
  ...item,
  stage: kept(null, 'sleep.stage_intervals'),
  endDate: kept(null, 'end_time'),
  'source.deviceId': kept(null, 'source'),
  'source.deviceType': kept(null, 'source'),
  'source.recordingMethod': kept(null, 'source'),
  'values[].type': kept(null, 'sleep.score'),
  'values[].value': kept('0-100', 'sleep.score'),
  'values[].unit': notKept('a constant'),
};

const deleted: FieldTable = {
  id: kept(null, 'key'),
  type: kept(null, 'key'),
};

/** The fields of all data types. */
export const fields = {
  ...{ records, recordTypes, events, eventTypes, sleep },
  ...{ workouts: workout, workoutValues, deleted },
} as const;
