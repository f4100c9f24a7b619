import { createHash } from 'node:crypto';
import type { SeriesType } from '../records/series.ts';
import { localTime } from '../time/time.ts';

/*
 * A data point is a header of IEEE 1752.1 and a body of an Open mHealth schema. What has no schema is no data point.
 */

/** Where and when a value was measured. */
export interface Measured {
  readonly userId: string;
  /** Unique among the data points of the user. */
  readonly key: string;
  readonly startMs: number;
  readonly endMs: number | null;
  readonly zone: number | null;
  readonly source: { readonly provider: string; readonly device: string };
  readonly isReported: boolean;
}

interface SchemaOf {
  readonly name: string;
  readonly version: string;
}

/** A data point. */
export interface DataPoint {
  readonly header: object;
  readonly body: object;
}

interface ValueSchema extends SchemaOf {
  readonly property: string;
  readonly unit: string;
  /** The value is of a time, so that a sample without an end is no data point. */
  readonly ofTime?: true;
  readonly more?: object;
}

/** The schemas of samples, by series type. */
export const sampleSchemas = {
  heart_rate: { name: 'heart-rate', version: '2.0', property: 'heart_rate', unit: 'beats/min' },
  resting_heart_rate: {
    name: 'heart-rate',
    version: '2.0',
    property: 'heart_rate',
    unit: 'beats/min',
    more: { temporal_relationship_to_physical_activity: 'at rest' },
  },
  oxygen_saturation: { name: 'oxygen-saturation', version: '2.0', property: 'oxygen_saturation', unit: '%' },
  blood_glucose: { name: 'blood-glucose', version: '4.0', property: 'blood_glucose', unit: 'mg/dL' },
  respiratory_rate: {
    name: 'respiratory-rate',
    version: '2.0',
    property: 'respiratory_rate',
    unit: 'breaths/min',
  },
  body_temperature: { name: 'body-temperature', version: '4.0', property: 'body_temperature', unit: 'C' },
  weight: { name: 'body-weight', version: '3.0', property: 'body_weight', unit: 'kg' },
  height: { name: 'body-height', version: '2.0', property: 'body_height', unit: 'cm' },
  body_mass_index: { name: 'body-mass-index', version: '3.0', property: 'body_mass_index', unit: 'kg/m^2' },
  body_fat_percentage: {
    name: 'body-fat-percentage',
    version: '2.0',
    property: 'body_fat_percentage',
    unit: '%',
  },
  steps: { name: 'step-count', version: '3.0', property: 'step_count', unit: 'steps', ofTime: true },
  energy: { name: 'calories-burned', version: '3.0', property: 'kcal_burned', unit: 'kcal', ofTime: true },
} as const satisfies Partial<Record<SeriesType, ValueSchema>>;

export type SampleSchemaType = keyof typeof sampleSchemas;

/** Whether samples of a type may be data points. */
export function hasSampleSchema(type: string): type is SampleSchemaType {
  return Object.hasOwn(sampleSchemas, type);
}

/** The data point of a sample; null if its schema needs an end and the sample has none. */
export function pointOfSample(type: SampleSchemaType, measured: Measured, value: number): DataPoint | null {
  const schema: ValueSchema = sampleSchemas[type];
  if (schema.ofTime === true && measured.endMs === null) return null;
  return pointOf(schema, measured, { [schema.property]: { value, unit: schema.unit }, ...schema.more });
}

/** The data point of a blood pressure. */
export function pointOfPressure(measured: Measured, systolic: number, diastolic: number): DataPoint {
  return pointOf({ name: 'blood-pressure', version: '4.0' }, measured, {
    systolic_blood_pressure: { value: systolic, unit: 'mmHg' },
    diastolic_blood_pressure: { value: diastolic, unit: 'mmHg' },
  });
}

/** A sleep as it is stored; times in seconds. */
export interface Sleep {
  readonly asleep_seconds: number | null;
  readonly awake_seconds: number | null;
  readonly interruptions: number | null;
  readonly is_nap: boolean;
}

/** The data point of a sleep. */
export function pointOfSleep(measured: Measured, sleep: Sleep): DataPoint {
  const seconds = (name: string, value: number | null) =>
    value === null ? {} : { [name]: { value, unit: 'sec' } };
  return pointOf({ name: 'sleep-episode', version: '1.1' }, measured, {
    ...seconds('total_sleep_time', sleep.asleep_seconds),
    ...seconds('wake_after_sleep_onset', sleep.awake_seconds),
    ...(sleep.interruptions === null ? {} : { number_of_awakenings: sleep.interruptions }),
    is_main_sleep: !sleep.is_nap,
  });
}

/** A workout as it is stored. */
export interface Activity {
  readonly type: string;
  readonly distance_meters: number | null;
  readonly calories_kcal: number | null;
}

/** The data point of a workout. */
export function pointOfActivity(measured: Measured, activity: Activity): DataPoint {
  const { type, distance_meters: distance, calories_kcal: calories } = activity;
  return pointOf({ name: 'physical-activity', version: '1.2' }, measured, {
    activity_name: type.replaceAll('_', ' '),
    ...(distance === null ? {} : { distance: { value: distance, unit: 'm' } }),
    ...(calories === null ? {} : { kcal_burned: { value: calories, unit: 'kcal' } }),
  });
}

function pointOf(schema: SchemaOf, measured: Measured, body: object): DataPoint {
  return { header: headerOf(schema, measured), body: { ...body, effective_time_frame: frameOf(measured) } };
}

// A record has no time of its creation at the source, so that the end of the measurement stands for it.
function headerOf({ name, version }: SchemaOf, measured: Measured) {
  const { userId, key, startMs, endMs, zone, source, isReported } = measured;
  const parts = ['device', source.provider, source.device].map(encodeURIComponent);
  return {
    uuid: uuidOf(`${userId} ${key}`),
    schema_id: { namespace: 'omh', name, version },
    source_creation_date_time: localTime(endMs ?? startMs, zone),
    modality: isReported ? 'self-reported' : 'sensed',
    external_datasheets: [
      { datasheet_type: 'hardware', datasheet_reference: `urn:pulsebus:${parts.join(':')}` },
    ],
  };
}

function frameOf({ startMs, endMs, zone }: Measured) {
  if (endMs === null) return { date_time: localTime(startMs, zone) };
  return {
    time_interval: {
      start_date_time: localTime(startMs, zone),
      end_date_time: localTime(endMs, zone),
    },
  };
}

/** A UUID that follows from a text, so that the same data has the same one in each export (RFC 9562, version 8). */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) % 4) + 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
