import { ownValue } from '../../domain/own-value.ts';
import { decides, type FieldTable, kept, like, notKept } from '../../domain/provider/field-table.ts';
import { type Collection, pulledCollections } from '../../domain/recipe/collection.ts';
import type { Draft } from '../../domain/recipe/draft.ts';
import type { ListRead } from '../../domain/recipe/list-pass.ts';
import { offsetField } from '../../domain/recipe/offset-of-times.ts';
import { type Item, numberOf } from '../../domain/recipe/read-fields.ts';
import type { SampleItem } from '../../domain/recipe/sample-blocks.ts';
import { factorOf } from '../../domain/recipe/units.ts';

/** Lists of at most 30 days, by the time in UTC. The bounds have no zone, and the end is excluded. */
const list = (name: string): ListRead => ({
  path: `/v3/users/self/${name}`,
  records: 'records',
  span: { start: 'startDate', end: 'endDate', form: 'utc' },
});

/** Assumed: values are smoothed afterwards. Edits are not notified. So the last three days are read every hour. */
const common = {
  scopes: [],
  longestSpanDays: 30,
  recentDays: 3,
  polls: [{ everyHours: 1, days: 3 }],
  sweepDays: 30,
} as const;

/** What is typed in is an item for each record. Readings are samples of their part alone. */
const ownItem: SampleItem = { key: ({ draft }) => draft.key ?? '', seconds: 0 };

const times: FieldTable = {
  // Before the time in UTC, which may name an offset too. Receivers name none, and two equal times are of an unknown zone.
  displayTime: offsetField({ utc: 'systemTime', stepMinutes: 30, equal: 'unknown' }),
  systemTime: kept('ISO 8601', 'start_time'),
};

const ofDevice: FieldTable = {
  transmitterGeneration: like(() => 'unknown', decides(null, 'source')),
  displayDevice: like(() => 'iOS', decides(null, 'source')),
  transmitterId: notKept('it identifies the device'),
};

const sensors: Readonly<Record<string, string>> = {
  g4: 'Dexcom G4',
  g5: 'Dexcom G5',
  g6: 'Dexcom G6',
  'g6+': 'Dexcom G6',
  g6pro: 'Dexcom G6 Pro',
  g7: 'Dexcom G7',
  g715day: 'Dexcom G7',
  one: 'Dexcom ONE',
  'one+': 'Dexcom ONE+',
};
const otherSensor = 'Dexcom';
const onReceiver = (sensor: string) => `${sensor} receiver`;
const sensorNames = [...new Set([...Object.values(sensors), otherSensor])];

/** The sensor, and whether a receiver showed it: its clock is set by its user. */
function sourceOf({ transmitterGeneration, displayDevice }: Item): string {
  const sensor = ownValue(sensors, String(transmitterGeneration).toLowerCase()) ?? otherSensor;
  return /receiver/i.test(String(displayDevice)) ? onReceiver(sensor) : sensor;
}

/** The least and the highest value that a sensor measures, in mg/dL. */
const [lowest, highest] = [40, 400];
/** What stands for a reading beyond them, by its status. */
const beyond: Readonly<Record<string, number>> = { low: lowest - 1, high: highest + 1 };

/** The glucose of a record in mg/dL. Null: it has none. */
function glucoseOf({ value, unit }: Item): number | null {
  const number = numberOf(value);
  if (number === null) return null;
  return unit === 'mmol/L' ? Math.round(number * factorOf('mmol/L', 'mg/dL') * 10) / 10 : number;
}

/** A reading. A value beyond the range of the sensor is no measurement: 39 and 401 stand for it. Assumed: such a value may be null. */
function readingOf(draft: Draft, item: Item): Draft | string {
  const status = String(item.status);
  const value = status === 'unknown' ? null : (glucoseOf(item) ?? ownValue(beyond, status) ?? null);
  if (value === null) return 'no_values';
  const blood_glucose = value < lowest ? lowest - 1 : value > highest ? highest + 1 : value;
  return { ...draft, source: sourceOf(item), series: { blood_glucose } };
}

const egvs: Collection = {
  ...common,
  device: otherSensor,
  devices: [...sensorNames, ...sensorNames.map(onReceiver)],
  read: list('egvs'),
  complete: readingOf,
  fields: {
    recordId: notKept('its time identifies a reading'),
    ...times,
    ...ofDevice,
    transmitterTicks: notKept('a clock of the device'),
    value: like((value) => value, decides('mg/dL', 'series.blood_glucose')),
    unit: like('mg/dL', decides(null, 'series.blood_glucose')),
    status: like('ok', decides(null, 'series.blood_glucose')),
    trend: notKept('it follows from the values'),
    trendRate: notKept('it follows from the values', 'mg/dL/min'),
  },
};

const fingerstick = 'Dexcom fingerstick';

/** The amount of an event, and its time. */
interface Amount {
  readonly item: Item;
  readonly value: number;
  readonly ms: number;
}

/** What an event of a type is. What a user typed in besides is no measurement, or is private. */
const eventsOf: Readonly<Record<string, (amount: Amount) => Partial<Draft>>> = {
  carbs: ({ value }) => ({ event: { type: 'nutrition', data: { carbohydrates_g: value } } }),
  insulin: ({ value, ms }) => ({ series: { insulin_delivery: [[ms, ms, value]] } }),
  bloodGlucose: ({ value, item }) => ({
    source: fingerstick,
    series: { blood_glucose: glucoseOf(item) ?? value },
  }),
};

function eventOf(draft: Draft, item: Item): Draft | string {
  const made = ownValue(eventsOf, String(item.eventType));
  const [value, ms] = [numberOf(item.value), draft.start_time];
  if (item.eventStatus === 'deleted') return 'deleted';
  if (made === undefined) return 'measure_type_not_kept';
  return value === null || ms === undefined ? 'unreadable' : { ...draft, ...made({ item, value, ms }) };
}

const events: Collection = {
  ...common,
  device: otherSensor,
  devices: [fingerstick],
  read: list('events'),
  complete: eventOf,
  sampleItem: ownItem,
  intervals: {
    source: ({ device }) => ({ device_type: 'manual', device, device_id: null, app: null }),
    id: (_type, startMs, { draft }) => draft.key ?? String(startMs),
  },
  fields: {
    recordId: kept(null, 'key'),
    ...times,
    transmitterGeneration: notKept('the user typed it in'),
    displayDevice: notKept('the user typed it in'),
    transmitterId: notKept('it identifies the device'),
    eventStatus: like('created', notKept('a deleted record is left out')),
    eventType: decides(null, 'nutrition.carbohydrates_g', 'series.insulin_delivery', 'series.blood_glucose'),
    eventSubType: notKept('a dose is a sum without a kind'),
    value: decides(null, 'nutrition.carbohydrates_g', 'series.insulin_delivery', 'series.blood_glucose'),
    unit: decides(null, 'series.blood_glucose'),
  },
};

const calibration = 'Dexcom calibration';

/** Values of a fingerstick with which a user calibrated the sensor. */
const calibrations: Collection = {
  ...common,
  device: calibration,
  devices: [calibration],
  read: list('calibrations'),
  sampleItem: ownItem,
  complete(draft, item) {
    const blood_glucose = glucoseOf(item);
    return blood_glucose === null ? 'no_values' : { ...draft, series: { blood_glucose } };
  },
  fields: {
    recordId: kept(null, 'key'),
    ...times,
    transmitterGeneration: notKept('the value is of a meter'),
    displayDevice: notKept('the value is of a meter'),
    transmitterId: notKept('it identifies the device'),
    transmitterTicks: notKept('a clock of the device'),
    value: like((value) => value, decides('mg/dL', 'series.blood_glucose')),
    unit: like('mg/dL', decides(null, 'series.blood_glucose')),
  },
};

/** The kinds of data. */
export const collections = { egvs, events, calibrations } as const satisfies Readonly<
  Record<string, Collection>
>;
/** The kinds of data as pull-ingest reads them. */
export const types = pulledCollections(collections);
