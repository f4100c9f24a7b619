import type { SeriesType } from '../records/series.ts';
import { localTime } from '../time/time.ts';
import { type Code, categories, systems } from './coding.ts';
import { deviceId } from './device.ts';
import { resourceId } from './ids.ts';
import { codeOf, keysOf, type ObservedName, pressureTypes, sleepStages } from './observed.ts';
import type { RecordName } from './record-codes.ts';

/** What an Observation is made of. */
export interface ObservedValue {
  readonly name: ObservedName;
  readonly key: string;
  readonly start_ms: number;
  readonly end_ms: number | null;
  readonly zone_offset_minutes: number | null;
  readonly source: { readonly provider: string; readonly device: string };
  readonly recording_method?: string | undefined;
  readonly value: number | null;
  readonly raster: { readonly period_ms: number; readonly data: string } | null;
  readonly fields: Readonly<Record<string, number | string | boolean | null>> | null;
}

/** The Observation of a value, a day of samples or a record. */
export function observationOf(userId: string, observed: ObservedValue) {
  const { name, key, source, recording_method: method } = observed;
  return {
    resourceType: 'Observation' as const,
    id: resourceId(userId, key),
    status: 'final',
    category: categoryOf(name),
    code: conceptOf(name),
    subject: { reference: `Patient/${userId}` },
    ...effectiveOf(observed),
    performer: [{ reference: `Patient/${userId}` }],
    ...(method === undefined
      ? {}
      : { method: { coding: [{ system: systems.recordingMethod, code: method }] } }),
    device: { reference: `Device/${deviceId(userId, source)}` },
    ...valueIn(userId, observed),
  };
}

function effectiveOf({ start_ms, end_ms, zone_offset_minutes: zone }: ObservedValue) {
  const start = localTime(start_ms, zone);
  return end_ms === null
    ? { effectiveDateTime: start }
    : { effectivePeriod: { start, end: localTime(end_ms, zone) } };
}

function valueIn(userId: string, { name, value, raster, fields }: ObservedValue) {
  if (raster !== null) return { valueSampledData: sampledData(name, raster) };
  if (name === 'blood_pressure') return { component: pressureComponents(fields ?? {}) };
  if (name === 'workout') return { hasMember: membersOf(userId, fields ?? {}) };
  if (name === 'workout_activity') return { valueCodeableConcept: activityOf(fields ?? {}) };
  const quantity = value === null ? {} : { valueQuantity: quantityOf(name, value) };
  return name === 'sleep' ? { ...quantity, component: sleepComponents(fields ?? {}) } : quantity;
}

// The factor is part of the data, so that each value has as few digits as the one that was sent.
function sampledData(name: ObservedName, { period_ms: period, data }: { period_ms: number; data: string }) {
  return { origin: { value: 0, ...unitOf(name) }, period, dimensions: 1, data };
}

function unitOf(name: SeriesType | RecordName) {
  const { unit } = codeOf(name);
  return unit === null ? {} : { unit, system: systems.ucum, code: unit };
}

function quantityOf(name: SeriesType | RecordName, value: number) {
  const { factor } = codeOf(name);
  return { value: factor === undefined ? value : rounded(value * factor), ...unitOf(name) };
}

// A second is 0.016667 minutes, so that six digits keep each second.
const rounded = (value: number) => Math.round(value * 1e6) / 1e6;

type Fields = Readonly<Record<string, number | string | boolean | null>>;

function pressureComponents(fields: Fields) {
  return pressureTypes.map((type) => {
    const value = fields[type];
    return typeof value === 'number'
      ? { code: conceptOf(type), valueQuantity: quantityOf(type, value) }
      : { code: conceptOf(type), dataAbsentReason: absent };
  });
}

const absent = {
  coding: [{ system: 'http://terminology.hl7.org/CodeSystem/data-absent-reason', code: 'unknown' }],
};

function sleepComponents({ sleep_is_nap: nap, ...stages }: Fields) {
  return [
    ...keysOf(sleepStages).flatMap((name) => {
      const value = stages[name];
      return typeof value === 'number'
        ? [{ code: conceptOf(name), valueQuantity: quantityOf(name, value) }]
        : [];
    }),
    ...(typeof nap === 'boolean' ? [{ code: conceptOf('sleep_is_nap'), valueBoolean: nap }] : []),
  ];
}

function membersOf(userId: string, fields: Fields) {
  return Object.values(fields).map((key) => ({
    reference: `Observation/${resourceId(userId, String(key))}`,
  }));
}

function activityOf({ type, name }: Fields) {
  const text = typeof name === 'string' && name !== '' ? { text: name } : {};
  return { coding: [{ system: systems.workoutType, code: String(type) }], ...text };
}

interface Named {
  readonly concept: { readonly coding: readonly object[] };
  readonly category: readonly object[];
}

// Each name has few forms, and a page has hundreds of Observations.
const made = new Map<string, Named>();

function madeOf(name: SeriesType | RecordName): Named {
  const known = made.get(name);
  if (known !== undefined) return known;
  const code = codeOf(name);
  const one = { concept: { coding: codingsOf(name, code) }, category: categoriesOf(name, code) };
  made.set(name, one);
  return one;
}

const conceptOf = (name: SeriesType | RecordName) => madeOf(name).concept;
const categoryOf = (name: SeriesType | RecordName) => madeOf(name).category;

function codingsOf(name: string, { coding }: Code) {
  const own = { system: systems.own, code: name };
  if (coding === null) return [own];
  const { system, code, display } = coding;
  const alike = name === 'oxygen_saturation' ? [pulseOximetry] : [];
  return [{ system, code, display }, ...alike, own];
}

/** The vital signs profile of the oxygen saturation has both codes. */
const pulseOximetry = {
  system: systems.loinc,
  code: '59408-5',
  display: 'Oxygen saturation in Arterial blood by Pulse oximetry',
};

function categoriesOf(name: string, { category }: Code) {
  const [code, display] = [category, categories[category]];
  const physical = { coding: [{ system: systems.physicalActivity, code: 'PhysicalActivity' }] };
  const isPhysical = name.startsWith('workout') || name.startsWith('day_');
  return [{ coding: [{ system: systems.category, code, display }] }, ...(isPhysical ? [physical] : [])];
}
