import {
  assumed,
  computed,
  decides,
  each,
  type FieldTable,
  kept,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';
import type { Draft } from '../../domain/recipe/draft.ts';
import { type Item, isItem, numberOf, valueAt } from '../../domain/recipe/read-fields.ts';
import type { RecordType } from '../../domain/recipe/record-type.ts';
import type { DeviceType } from '../../domain/records/interval-records.ts';
import { methodOfActive, withMethod } from '../../domain/records/recording-method.ts';
import { isSeriesType } from '../../domain/records/series.ts';
import { isoTime } from '../../domain/time/time.ts';

/** Why a point is left out. */
export const invalid = 'POINT_INVALID';

/** What all types have in common. What is no object is an invalid point. */
export const common = {
  device: 'unknown',
  isOfSpan: true,
  join: (points) => points.map((one) => (isItem(one) ? one : {})),
} as const satisfies Partial<RecordType>;

/** Whether a draft has both ends of its interval. */
export const isPlaced = (draft: Draft): draft is Draft & { start_time: number; end_time: number } =>
  draft.start_time !== undefined && draft.end_time !== undefined;

/** Seconds of a duration such as `7200s`. NaN: it cannot be read. */
export function secondsOf(duration: unknown): number {
  const found = /^(-?\d{1,9})(?:\.\d+)?s$/.exec(typeof duration === 'string' ? duration : '');
  return Number(found?.[1] ?? Number.NaN);
}

/** A UTC offset such as `7200s`. */
const utcOffset = computed((offset) => secondsOf(offset) / 60, 's', 'zone_offset');

/** Whether a recording method says that a person typed the value. */
export const isManual = (method: unknown): boolean => method === 'MANUAL' || method === 'MANUAL_ENTRY';

const ofDevice = 'describes the device, which the source names';

/** The source of a point. */
const source: FieldTable = under('dataSource', {
  platform: notKept(ofDevice),
  'device.displayName': kept(null, 'source'),
  ...assumed({ 'device.model': kept(null, 'source') }),
  'device.manufacturer': kept(null, 'source'),
  'device.formFactor': notKept('the kind of device ranks sources of summed values only'),
  ...assumed({
    application: notKept('the source is the device'),
    recordingMethod: notKept('a night or a day value that was typed in counts like others'),
  }),
});

/** The last segment of a point's name, which identifies it. Null: it has no name. */
export function idOf({ name, dataPointName }: Item): string | null {
  const given = name ?? dataPointName;
  const id = typeof given === 'string' ? given.slice(given.lastIndexOf('/') + 1) : '';
  return id === '' || id.length > 200 ? null : id;
}

/** A local time. */
const civil = notKept('the time in UTC and its offset have the same time');

/** The fields of a point that has an interval in its member. */
const intervalFields = (member: string): FieldTable => ({
  name: decides(null, 'key'),
  ...source,
  ...under(`${member}.interval`, {
    startTime: kept(null, 'start_time'),
    endTime: kept(null, 'end_time'),
    startUtcOffset: utcOffset,
    ...assumed({
      endUtcOffset: notKept('the offset of the start counts', 's'),
      ...each(civil, 'civilStartTime', 'civilEndTime'),
    }),
  }),
});

const stamp = notKept('the time of the record at the provider');

/** The fields of a session, which say when the provider changed it. */
export const sessionFields = (member: string): FieldTable => ({
  ...intervalFields(member),
  ...under(member, assumed(each(stamp, 'createTime', 'updateTime'))),
});

/** The member of a point with the data of a type: `heartRate` of `heart-rate`. */
const memberOf = (type: string) => type.replace(/-[a-z0-9]/g, (next) => next.slice(1).toUpperCase());

// Without the minutes of light activity.
const activeMinutes = (levels: unknown) =>
  !Array.isArray(levels)
    ? null
    : levels
        .filter(isItem)
        .filter(({ activityLevel }) => activityLevel !== 'LIGHT')
        .reduce((sum, { activeMinutes: minutes }) => sum + (numberOf(minutes) ?? 0), 0);

/** Types of summed intervals: the numbers in their members. */
export const summed: Readonly<Record<string, FieldTable>> = {
  steps: { count: kept('count', 'series.steps') },
  distance: assumed({ millimeters: kept('mm', 'series.distance_walking_running') }),
  floors: { count: kept('count', 'series.flights_climbed') },
  'active-energy-burned': { kcal: kept('kcal', 'series.energy') },
  'basal-energy-burned': { kcal: kept('kcal', 'series.basal_energy') },
  'active-minutes': assumed({
    activeMinutesByActivityLevel: computed(activeMinutes, 'min', 'series.exercise_time'),
    activeMinutes: kept('min', 'series.exercise_time'),
  }),
  'hydration-log': { 'amountConsumed.milliliters': kept('mL', 'series.hydration') },
};

/** Types of samples. The names of values of a day begin with `daily`. */
export const sampled: Readonly<Record<string, FieldTable>> = {
  'heart-rate': { beatsPerMinute: kept('bpm', 'series.heart_rate') },
  'daily-resting-heart-rate': {
    ...assumed({ dailyRestingHeartRateMetadata: notKept('how the provider computed the value') }),
    beatsPerMinute: kept('bpm', 'series.resting_heart_rate'),
  },
  'heart-rate-variability': {
    rootMeanSquareOfSuccessiveDifferencesMilliseconds: kept('ms', 'series.heart_rate_variability_rmssd'),
    standardDeviationMilliseconds: kept('ms', 'series.heart_rate_variability_sdnn'),
  },
  'oxygen-saturation': assumed({ percentage: kept('percent', 'series.oxygen_saturation') }),
  'daily-respiratory-rate': assumed({ breathsPerMinute: kept('breaths/min', 'series.respiratory_rate') }),
  'daily-sleep-temperature-derivations': assumed({
    baselineTemperatureCelsius: notKept('follows from the nights before', 'celsius'),
    relativeNightlyStddev30dCelsius: notKept('follows from the nights before', 'celsius'),
    nightlyTemperatureCelsius: kept('celsius', 'series.skin_temperature'),
  }),
  'core-body-temperature': { celsius: kept('celsius', 'series.body_temperature') },
  'blood-glucose': assumed({ bloodGlucoseMilligramsPerDeciliter: kept('mg/dL', 'series.blood_glucose') }),
  weight: assumed({ weightGrams: kept('g', 'series.weight') }),
  'body-fat': assumed({ percentage: kept('percent', 'series.body_fat_percentage') }),
  height: assumed({ heightMillimeters: kept('mm', 'series.height') }),
  'vo2-max': assumed({ vo2Max: kept('ml/kg/min', 'series.vo2_max') }),
  'run-vo2-max': { runVo2Max: kept('ml/kg/min', 'series.vo2_max') },
};

/** What ranks sources. */
const ranks = decides(null, 'source');

const deviceTypes = new Map<unknown, DeviceType>([
  ['WATCH', 'watch'],
  ['FITNESS_BAND', 'band'],
  ['BAND', 'band'],
  ['RING', 'ring'],
  ['PHONE', 'phone'],
  ['SCALE', 'scale'],
]);
const methodOf = (item: Item) => valueAt(item, ['dataSource', 'recordingMethod']);
const deviceTypeOf = (item: Item): DeviceType =>
  isManual(methodOf(item))
    ? 'manual'
    : (deviceTypes.get(valueAt(item, ['dataSource', 'device', 'formFactor'])) ?? 'unknown');

/** The name of the provider's merge of all devices. It ranks above the devices, so that the two are never added. */
const merged = { device_type: 'merged', device: 'merged', device_id: null, app: null } as const;

/** Intervals of a summed type: those of each device, and the provider's merge of them. */
export const summedRecord = (type: string): RecordType => ({
  ...common,
  fields: {
    ...intervalFields(memberOf(type)),
    'dataSource.device.formFactor': ranks,
    ...assumed({ 'dataSource.recordingMethod': ranks }),
    ...under(memberOf(type), summed[type] ?? {}),
  },
  complete: (draft) => (isPlaced(draft) && draft.series !== undefined ? draft : invalid),
  intervals: {
    source: ({ pass, item, device }) =>
      pass === 'reconcile' ? merged : { device_type: deviceTypeOf(item), device, device_id: null, app: null },
    // The merge of a point may have the name of a device's point.
    id: (_series, startMs, { pass, item, device, endMs }) =>
      pass === 'reconcile'
        ? `${type} ${merged.device} ${startMs} ${endMs}`
        : `${type} ${idOf(item) ?? `${device} ${startMs} ${endMs}`}`,
  },
});

// A value of a day has no time. At noon UTC it belongs to that day for nearly every offset.
const atNoon = computed(
  (date) => {
    const { year, month, day } = isItem(date) ? date : {};
    const [y, m, d] = [year, month, day].map(numberOf);
    return y == null || m == null || d == null ? null : Date.UTC(y, m - 1, d, 12);
  },
  null,
  'start_time',
);

/** Whether the values of a type are those of days. */
export const isDaily = (type: string) => type.startsWith('daily');

/** The table of a type of samples. */
export const sampledFields = (type: string, numbers: FieldTable = sampled[type] ?? {}): FieldTable => ({
  name: notKept('a sample is identified by its series and time'),
  ...source,
  ...(isDaily(type) ? {} : assumed({ 'dataSource.recordingMethod': ranks })),
  ...under(memberOf(type), {
    ...(isDaily(type)
      ? { date: atNoon }
      : {
          'sampleTime.physicalTime': kept(null, 'start_time'),
          'sampleTime.utcOffset': utcOffset,
          ...assumed({ 'sampleTime.civilTime': civil }),
        }),
    ...numbers,
  }),
});

// Samples have the name of their device, and how it made them. A value of a day is computed by the provider.
function withMethodOf(draft: Draft, item: Item): Draft {
  const [method, { source: device = common.device }] = [methodOf(item), draft];
  if (isManual(method)) return { ...draft, source: withMethod(device, 'manual') };
  const [series] = method === 'ACTIVELY_MEASURED' ? Object.keys(draft.series ?? {}).filter(isSeriesType) : [];
  return series === undefined ? draft : { ...draft, source: withMethod(device, methodOfActive(series)) };
}

/** Samples of one or more types, as one item of their part. */
export const sampledRecord = (...types: readonly string[]): RecordType => ({
  ...common,
  fields: Object.assign({}, ...types.map((type) => sampledFields(type))),
  complete(draft, item) {
    if (draft.start_time === undefined || draft.series === undefined) return invalid;
    return types.some(isDaily) ? draft : withMethodOf(draft, item);
  },
});

const resting = 'daily-resting-heart-rate';

/** The resting heart rates of days, each an item, so that a day that is no longer sent can be deleted. */
export const restingDays: RecordType = {
  ...common,
  fields: sampledFields(resting, { beatsPerMinute: kept('bpm', 'day_values.resting_heart_rate_bpm') }),
  complete(draft) {
    const { start_time, day_values: { resting_heart_rate_bpm: rate } = {} } = draft;
    if (start_time === undefined || rate === undefined) return invalid;
    const date = isoTime(start_time).slice(0, 10);
    return { ...draft, date, key: `${date}/day`, duration_seconds: 0 };
  },
};
