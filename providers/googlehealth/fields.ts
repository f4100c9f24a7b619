import {
  assumed,
  type Field,
  type FieldTable,
  kept,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';
import type { SampledRow } from './normalise/sampled.ts';
import type { SummedRow } from './normalise/summed.ts';
import { runVo2Max, sampled, summed } from './rows.ts';
import { exercise, intervalFields, point, sleep } from './session-fields.ts';

/** The numbers that our documentation of the provider names. */
const confirmed: ReadonlySet<string> = new Set([
  ...['celsius', 'count', 'beatsPerMinute', 'amountConsumed.milliliters', 'kcal', 'runVo2Max'],
  ...['rootMeanSquareOfSuccessiveDifferencesMilliseconds', 'standardDeviationMilliseconds'],
]);
const number = (path: string, field: Field): Field =>
  confirmed.has(path) ? field : { ...field, assumed: true };
const ranked = kept(null, 'source');

function ofSummed({ member, path, unit, series, read }: SummedRow): FieldTable {
  return {
    ...point,
    'dataSource.device.formFactor': ranked,
    ...intervalFields(member),
    [`${member}.${path}`]: number(path, kept(unit, `series.${series}`)),
    ...assumed({ 'dataSource.recordingMethod': ranked }),
    ...(read === undefined ? {} : assumed(byLevel(member, unit, series))),
  };
}

const byLevel = (member: string, unit: string, series: SummedRow['series']): FieldTable => ({
  [`${member}.activeMinutesByActivityLevel[].activityLevel`]: kept(null, `series.${series}`),
  [`${member}.activeMinutesByActivityLevel[].activeMinutes`]: kept(unit, `series.${series}`),
});

const placed: Readonly<Record<SampledRow['shape'], FieldTable>> = {
  sample: {
    'sampleTime.physicalTime': kept(null, 'start_time'),
    'sampleTime.utcOffset': kept('s', 'zone_offset'),
    ...assumed({ 'sampleTime.civilTime': notKept('the time and its offset have the same time') }),
  },
  daily: { date: kept(null, 'start_time') },
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

function ofSampled({ type, member, shape, values, dayValue }: SampledRow): FieldTable {
  const { name, ...rest } = point;
  const own = values.map(({ path, unit, series }) => {
    const day = dayValue === undefined ? [] : [`day_values.${dayValue}` as const];
    return [`${member}.${path}`, number(path, kept(unit, `series.${series}`, ...day))] as const;
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

/** The fields of all data types. */
export const fields: Readonly<Record<string, FieldTable>> = {
  ...Object.fromEntries(summed.map((row) => [row.type, ofSummed(row)])),
  ...Object.fromEntries([...sampled, runVo2Max].map((row) => [row.type, ofSampled(row)])),
  ...{ sleep, exercise },
};
