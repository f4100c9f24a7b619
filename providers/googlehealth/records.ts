import {
  assumed,
  computed,
  type Field,
  type FieldTable,
  kept,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';
import type { Draft } from '../../domain/recipe/draft.ts';
import { type Item, isItem, numberOf } from '../../domain/recipe/read-fields.ts';
import type { RecordType } from '../../domain/recipe/record-type.ts';
import type { DeviceType, IntervalSource } from '../../domain/records/interval-records.ts';
import { methodOfActive, withMethod } from '../../domain/records/recording-method.ts';
import type { SeriesType } from '../../domain/records/series.ts';
import { isoTime } from '../../domain/time/time.ts';
import {
  common,
  idOf,
  intervalFields,
  invalid,
  isManual,
  methodOf,
  point,
  ranked,
  utcOffset,
} from './point.ts';
import type { SampledRow, SummedRow } from './rows.ts';

/** The numbers that our documentation of the provider names. */
const confirmed: ReadonlySet<string> = new Set([
  ...['celsius', 'count', 'beatsPerMinute', 'amountConsumed.milliliters', 'kcal', 'runVo2Max'],
  ...['rootMeanSquareOfSuccessiveDifferencesMilliseconds', 'standardDeviationMilliseconds'],
]);
const number = (path: string, field: Field): Field =>
  confirmed.has(path) ? field : { ...field, assumed: true };

function summedFields({ member, path, unit, series, read }: SummedRow): FieldTable {
  const levels = `${member}.activeMinutesByActivityLevel[]`;
  return {
    ...point,
    'dataSource.device.formFactor': ranked,
    ...intervalFields(member),
    [`${member}.${path}`]: number(path, kept(unit, `series.${series}`)),
    ...assumed({ 'dataSource.recordingMethod': ranked }),
    ...(read === undefined
      ? {}
      : assumed({
          [`${levels}.activityLevel`]: kept(null, `series.${series}`),
          [`${levels}.activeMinutes`]: kept(unit, `series.${series}`),
        })),
  };
}

/** The name of the provider's merge of all devices. It ranks above the devices, so that the two are never added. */
const merged: IntervalSource = { device_type: 'merged', device: 'merged', device_id: null, app: null };
const deviceTypes: Readonly<Record<string, DeviceType>> = {
  ...{ WATCH: 'watch', FITNESS_BAND: 'band', BAND: 'band', RING: 'ring', PHONE: 'phone', SCALE: 'scale' },
};

function deviceTypeOf(item: Item): DeviceType {
  if (isManual(methodOf(item))) return 'manual';
  const { device } = isItem(item.dataSource) ? item.dataSource : {};
  return deviceTypes[String(isItem(device) ? device.formFactor : '')] ?? 'unknown';
}

/** Intervals of a summed type: those of each device, and the provider's merge of them. */
export const summedRecord = (row: SummedRow): RecordType => ({
  ...common,
  fields: summedFields(row),
  complete(draft, { [row.member]: value }) {
    const read = isItem(value) ? (row.read?.(value) ?? null) : null;
    const { start_time, end_time } = draft;
    const series = read === null ? draft.series : { [row.series]: read };
    return start_time === undefined || end_time === undefined || series === undefined
      ? invalid
      : { ...draft, series };
  },
  intervals: {
    source: ({ pass, item, device }) =>
      pass === 'reconcile' ? merged : { device_type: deviceTypeOf(item), device, device_id: null, app: null },
    // The merge of a point may have the name of a device's point.
    id(_series, startMs, { pass, item, device, endMs }) {
      const own = pass === 'reconcile' ? null : idOf(item);
      const name = pass === 'reconcile' ? merged.device : device;
      return `${row.type} ${own ?? `${name} ${startMs} ${endMs}`}`;
    },
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

const placed: Readonly<Record<SampledRow['shape'], FieldTable>> = {
  sample: {
    'sampleTime.physicalTime': kept(null, 'start_time'),
    'sampleTime.utcOffset': utcOffset,
    ...assumed({ 'sampleTime.civilTime': notKept('the time and its offset have the same time') }),
  },
  daily: { date: atNoon },
};

/** What a member of a type has beside its values. */
const beside: Readonly<Record<string, FieldTable>> = {
  'daily-resting-heart-rate': {
    dailyRestingHeartRateMetadata: notKept('how the provider computed the value'),
  },
  'daily-sleep-temperature-derivations': {
    baselineTemperatureCelsius: notKept('follows from the nights before', 'celsius'),
    relativeNightlyStddev30dCelsius: notKept('follows from the nights before', 'celsius'),
  },
};

/** What the numbers of a type become: samples, a value of the day, or both. */
type Kind = 'samples' | 'day';

/** The table of a type of samples, for what its numbers become. */
export function sampledFields(
  { type, member, shape, values, dayValue }: SampledRow,
  kinds: readonly Kind[] = ['samples', 'day'],
): FieldTable {
  const { name: _, ...rest } = point;
  const own = values.flatMap(({ path, unit, series }) => {
    const ends = [
      ...(kinds.includes('samples') ? [`series.${series}` as const] : []),
      ...(kinds.includes('day') && dayValue !== undefined ? [`day_values.${dayValue}` as const] : []),
    ];
    const [first, ...others] = ends;
    return first === undefined
      ? []
      : [[`${member}.${path}`, number(path, kept(unit, first, ...others))] as const];
  });
  return {
    ...rest,
    name: notKept('a sample is identified by its series and time'),
    ...(shape === 'sample' ? assumed({ 'dataSource.recordingMethod': ranked }) : {}),
    ...under(member, placed[shape]),
    ...under(member, assumed(beside[type] ?? {})),
    ...Object.fromEntries(own),
  };
}

// A value of a day is computed by the provider. Samples have the name of their device, and how it made them.
function withSampleDevice(draft: Draft, item: Item, type: SeriesType): Draft {
  const method = methodOf(item);
  const { source = common.device } = draft;
  if (isManual(method)) return { ...draft, source: withMethod(source, 'manual') };
  return method === 'ACTIVELY_MEASURED'
    ? { ...draft, source: withMethod(source, methodOfActive(type)) }
    : draft;
}

/** Samples of one or more types, as one item of their part. */
export const sampledRecord = (...rows: readonly [SampledRow, ...SampledRow[]]): RecordType => ({
  ...common,
  fields: Object.assign({}, ...rows.map((row) => sampledFields(row, ['samples']))),
  complete(draft, item) {
    const [{ shape, values }] = rows;
    const [first] = values;
    if (draft.start_time === undefined || draft.series === undefined || first === undefined) return invalid;
    return shape === 'daily' ? draft : withSampleDevice(draft, item, first.series);
  },
});

/** The values of days, each an item, so that a day that is no longer sent can be deleted. */
export const dayRecord = (row: SampledRow): RecordType => ({
  ...common,
  fields: sampledFields(row, ['day']),
  complete(draft) {
    const isEmpty = Object.keys(draft.day_values ?? {}).length === 0;
    if (draft.start_time === undefined || isEmpty) return invalid;
    const date = isoTime(draft.start_time).slice(0, 10);
    return { ...draft, date, key: `${date}/day`, duration_seconds: 0 };
  },
});
