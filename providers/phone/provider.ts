import { nutrientUnits } from '../../domain/provider/event-data.ts';
import {
  assumed,
  each,
  type Field,
  type FieldTable,
  kept,
  notKept,
} from '../../domain/provider/field-table.ts';
import type { Provider } from '../../domain/provider/provider.ts';
import { seriesOf } from '../../domain/records/series.ts';
import { type EventType, eventFields, eventTypes } from './normalise/event.ts';
import { asSent, itemFields } from './normalise/item.ts';
import { type RecordType, recordTypes } from './normalise/record.ts';
import { workoutFields, workoutValues } from './normalise/workout.ts';

/** Fields of items that are of the device that measured them. */
const measured: FieldTable = {
  ...itemFields,
  endDate: kept(null, 'end_time'),
  ...each(kept(null, 'source'), 'source.deviceId', 'source.deviceType', 'source.recordingMethod'),
};

/** Samples and intervals. The records of `eventTypes` have a table of their own. */
const records: FieldTable = {
  ...measured,
  type: kept(null, 'series.distance_walking_running'),
  value: kept(asSent, 'series.distance_walking_running'),
  unit: kept(null, 'series.distance_walking_running'),
  ...assumed({ 'metadata.HKWasUserEntered': kept(null, 'source') }),
};

/** Phases of nights. */
const sleep: FieldTable = {
  ...measured,
  stage: kept(null, 'sleep.stage_intervals'),
  'values[].type': kept(null, 'sleep.score'),
  'values[].value': kept('0-100', 'sleep.score'),
  'values[].unit': notKept('a constant'),
};

/** The types that our documentation of the SDKs names, or that these send today. */
const confirmed: ReadonlySet<string> = new Set([
  'HEART_RATE',
  'STEP_COUNT',
  'DISTANCE',
  'BODY_FAT',
  'BMI',
  'FLOORS_CLIMBED',
  'HYDRATION',
  'FOOD',
  'ACTIVE_CALORIES_BURNED',
  'BASAL_METABOLIC_RATE',
  'HEART_RATE_VARIABILITY',
  ...['EnergyConsumed', 'Carbohydrates', 'Protein', 'FatTotal'].map(
    (name) => `HKQuantityTypeIdentifierDietary${name}`,
  ),
  ...['MindfulSession', 'MenstrualFlow', 'CervicalMucusQuality', 'OvulationTestResult', 'SexualActivity'].map(
    (name) => `HKCategoryTypeIdentifier${name}`,
  ),
  ...[
    'ENERGY',
    'PROTEIN',
    'CARBOHYDRATE',
    'FIBER',
    'SUGAR',
    'TOTAL_FAT',
    'SATURATED_FAT',
    'TRANS_FAT',
    'MONOUNSATURATED_FAT',
    'POLYUNSATURATED_FAT',
    'CHOLESTEROL',
    'SODIUM',
    'POTASSIUM',
    'VITAMIN_A',
    'VITAMIN_C',
    'CALCIUM',
    'IRON',
    'CAFFEINE',
  ].map((name) => `DIETARY_${name}`),
]);

function typesTable<T>(types: ReadonlyMap<string, T>, fieldOf: (type: T) => Field): FieldTable {
  const fieldNamed = (name: string, field: Field): Field =>
    confirmed.has(name) ? field : { ...field, assumed: true };
  return Object.fromEntries([...types].map(([name, type]) => [name, fieldNamed(name, fieldOf(type))]));
}

function recordField({ series, atInstant }: RecordType): Field {
  const instant = atInstant === undefined ? [] : ([`series.${atInstant}`] as const);
  return kept(`as its \`unit\` says, to ${seriesOf(series).unit}`, `series.${series}`, ...instant);
}

function eventField(type: EventType): Field {
  if (type.type === 'mindfulness') return kept(null, 'start_time', 'end_time');
  if (type.type === 'cycle_record') {
    const hasFindings = Object.values(type.values).some((value) => value !== null);
    return hasFindings
      ? kept('a code', 'cycle_record.observation', 'cycle_record.value')
      : kept(null, 'cycle_record.observation');
  }
  if (type.nutrient === null) return kept(null, 'nutrition.meal_id', 'nutrition.name', 'nutrition.meal_type');
  return kept(`as its \`unit\` says, to ${nutrientUnits[type.nutrient]}`, `nutrition.${type.nutrient}`);
}

/** The fields of all data types. */
export const fields = {
  records,
  recordTypes: typesTable(recordTypes, recordField),
  events: eventFields,
  eventTypes: typesTable(eventTypes, eventField),
  sleep,
  workouts: workoutFields,
  workoutValues,
  deleted: each(kept(null, 'key'), 'id', 'type'),
} as const;

/** The header of an upload with the IANA name of the phone's time zone. */
export const timeZoneHeader = 'time-zone';

/**
 * Phones: the health stores of Apple (HealthKit), Google (Health Connect) and Samsung, which an app on the user's phone
 * uploads. The app holds a token of the user, so there is no consent page, no webhook and nothing to read.
 */
export const phone = {
  title: 'Phone',
  colour: '#8f7219',
  sourceTitles: {
    apple: 'Apple Health',
    iphone: 'Apple Health',
    ipad: 'Apple Health',
    samsung: 'Samsung Health',
    '.sec.': 'Samsung Health',
    healthdata: 'Health Connect',
    'health connect': 'Health Connect',
  },
  settings: {},
  names: null,
  ingest: {
    service: 'phone-ingest',
    readsWithTokens: false,
    hasFigures: false,
    reprocesses: true,
  },
  normaliserVersion: 8,
  fields,
  projectClientRefusal: 'The app on the phone connects the user: there is no OAuth client.',
  oauth: null,
  webhooks: {
    clientIdHeaders: [],
    keptHeaders: [timeZoneHeader],
    subscriptionSettings: [],
    body: { form: 'one-account', accountHeader: 'pulsebus-user-id' },
  },
  backfill: { from: 'uploads', service: 'phone-ingest' },
  shares: [
    ...(['daily_activity', 'heart_rate', 'sleep', 'activities', 'body', 'blood_pressure'] as const),
    ...(['oxygen_saturation', 'glucose', 'nutrition', 'mindfulness', 'cycle'] as const),
  ],
  cadenceHours: { daily_activity: 48 },
} as const satisfies Provider;
