import { withoutNoise } from '../../../domain/json/decimals.ts';
import { ownValue } from '../../../domain/own-value.ts';
import {
  assumed,
  decides,
  extra,
  type FieldTable,
  kept,
  notKept,
} from '../../../domain/provider/field-table.ts';
import { type Item, isItem } from '../../../domain/recipe/read-fields.ts';
import { type RecordingMethod, withMethod } from '../../../domain/records/recording-method.ts';
import type { SeriesType } from '../../../domain/records/series.ts';
import { parseInstant } from '../../../domain/time/time.ts';
import { fieldReader, flagOf, listOf, mapOf, numberIn } from '../normalise/checks.ts';
import { cycleType } from '../normalise/events.ts';
import type { Problem, Refused } from '../normalise/item.ts';
import { itemType } from '../normalise/item-type.ts';
import { seriesRange } from '../normalise/ranges.ts';
import { byOffset, type ReadItem } from '../normalise/read-item.ts';
import type { Reading } from '../normalise/samples.ts';
import { identity, samplesOnly, why } from './common.ts';

const measured: FieldTable = {
  ...identity,
  measurementTimeInSeconds: kept('s', 'start_time', 'key'),
  measurementTimeOffsetInSeconds: kept('s', 'zone_offset'),
};

const breaths = byOffset('breaths/min', 'series.respiratory_rate');

/** Breaths per minute. A mean counts if no value of the map does. */
export const respiration = itemType(
  'respiration',
  {
    ...samplesOnly,
    timeOffsetEpochToBreaths: breaths,
    timeOffsetRespirationRateValues: breaths,
    avgWakingRespirationValue: kept('breaths/min', 'series.respiratory_rate'),
  },
  {
    supersede: 'longest',
    spellings: {
      timeOffsetEpochToBreaths: ['timeOffsetEpochToBreaths', 'timeOffsetRespirationRateValues'],
    },
  },
);

const measurementSpellings = {
  startTimeInSeconds: ['measurementTimeInSeconds', 'startTimeInSeconds'],
  startTimeOffsetInSeconds: ['measurementTimeOffsetInSeconds', 'startTimeOffsetInSeconds'],
} as const;

// Fat mass and lean mass are computed if weight and fat percentage are both present.
function withMasses(read: ReadItem): ReadItem {
  const valueIn = (type: SeriesType) => read.readings.find((reading) => reading.type === type)?.value;
  const [weight, fat] = [valueIn('weight'), valueIn('body_fat_percentage')];
  if (typeof weight !== 'number' || typeof fat !== 'number') return read;
  const fatMass = withoutNoise((weight * fat) / 100);
  const masses = [
    { type: 'body_fat_mass' as const, field: '', value: fatMass },
    { type: 'lean_body_mass' as const, field: '', value: withoutNoise(weight - fatMass) },
  ];
  return { ...read, readings: [...read.readings, ...masses] };
}

/** A measurement of a scale. */
export const bodyComps = itemType(
  'bodyComps',
  {
    ...measured,
    weightInGrams: kept('g', 'series.weight', 'series.body_fat_mass', 'series.lean_body_mass'),
    muscleMassInGrams: kept('g', 'series.skeletal_muscle_mass'),
    ...assumed({
      boneMassInGrams: kept('g', 'series.bone_mass'),
      bodyWaterInPercent: kept('percent', 'series.body_water_percentage'),
    }),
    bodyFatInPercent: kept('percent', 'series.body_fat_percentage', 'series.body_fat_mass'),
    bodyMassIndex: kept('kg/m2', 'series.body_mass_index'),
  },
  { supersede: 'latest', spellings: measurementSpellings, complete: withMasses },
);

// Seconds, milliseconds, or a text of UTC. An unreadable value is passed on and reported.
function withSeconds({ measurementTimestampGMT: sent, ...item }: Item): Item {
  const isText = typeof sent === 'string' && !/^\d+$/.test(sent);
  const ms = isText ? parseInstant(sent)?.ms : typeof sent === 'number' && sent >= 1e11 ? sent : undefined;
  return { ...item, measurementTimestampGMT: ms === undefined ? sent : ms / 1000 };
}

const withMethodOf = (read: ReadItem, method: RecordingMethod): ReadItem => ({
  ...read,
  device: withMethod(read.device, method),
});

// A measurement on demand may begin in the same second as that of a night.
function withOnDemand(read: ReadItem): ReadItem {
  const problems = [...read.problems];
  const isOnDemand = fieldReader(read.item, problems)('onDemand', flagOf) === true;
  if (!isOnDemand) return { ...read, problems };
  return { ...withMethodOf(read, 'on_demand'), draft: { ...read.draft, key: `${read.draft.key}/on-demand` } };
}

/** Oxygen saturation. A mean counts if no value of the map does. */
export const pulseOx = itemType(
  'pulseOx',
  {
    ...samplesOnly,
    timeOffsetSpo2Values: byOffset('percent', 'series.oxygen_saturation'),
    avgSpo2: kept('percent', 'series.oxygen_saturation'),
    onDemand: decides(null, 'key', 'source'),
  },
  { supersede: 'longest', complete: withOnDemand },
);

/** A cuff reading. */
export const bloodPressures = itemType(
  'bloodPressures',
  {
    ...measured,
    measurementTimestampGMT: kept(null, 'start_time', 'key'),
    startTimeInSeconds: kept('s', 'start_time', 'key'),
    systolic: kept('mmHg', 'series.blood_pressure_systolic'),
    diastolic: kept('mmHg', 'series.blood_pressure_diastolic'),
    pulse: kept('bpm', 'series.heart_rate'),
    ...assumed({ sourceType: decides(null, 'source') }),
  },
  {
    supersede: 'latest',
    spellings: {
      ...measurementSpellings,
      startTimeInSeconds: ['measurementTimeInSeconds', 'measurementTimestampGMT', 'startTimeInSeconds'],
    },
    prepare: withSeconds,
    complete: (read) =>
      String(read.item.sourceType).toUpperCase() === 'MANUAL' ? withMethodOf(read, 'manual') : read,
  },
);

/** Fitness values of a day. The item has no time of day, so its samples are at 12:00 UTC of the day. */
export const userMetrics = itemType(
  'userMetrics',
  {
    ...identity,
    calendarDate: kept(null, 'date', 'start_time', 'key'),
    vo2Max: kept('ml/kg/min', 'series.vo2_max'),
    ...assumed({ vo2MaxCycling: kept('ml/kg/min', 'series.vo2_max_cycling'), enhanced: extra() }),
    fitnessAge: kept('years', 'series.devicemaker_fitness_age'),
  },
  { supersede: 'latest' },
);

/** The deviation of a night from the user's usual skin temperature, and an absolute temperature. */
export const skinTemp = itemType(
  'skinTemp',
  {
    ...samplesOnly,
    avgDeviationCelsius: kept('celsius', 'series.devicemaker_skin_temperature'),
    skinTemperature: kept('celsius', 'series.skin_temperature'),
  },
  { supersede: 'longest' },
);

/** Maps summary names in lower case to series. */
const seriesOfSummary: Readonly<Record<string, SeriesType>> = {
  heart_rate: 'heart_rate',
  respiration: 'respiratory_rate',
  stress: 'devicemaker_stress_level',
  spo2: 'oxygen_saturation',
  pulse_ox: 'oxygen_saturation',
  rmssd_hrv: 'heart_rate_variability_rmssd',
  sdrr_hrv: 'heart_rate_variability_sdnn',
};

// Each summary is second by second, or its mean as one sample at the start.
function withSummaries(read: ReadItem): ReadItem | Refused {
  const problems = [...read.problems];
  const summaries = fieldReader(read.item, problems)('summaries', listOf);
  if (summaries === null)
    return { ok: false, problems: [...problems, { field: '', reason: 'has none of summaries' }] };
  const readings = summaries.flatMap((summary, index) =>
    readSummary(`summaries[${index}]`, summary, problems),
  );
  return { ...read, readings, problems };
}

function readSummary(path: string, summary: unknown, problems: Problem[]): Reading[] {
  const refuse = (field: string, reason: string) => {
    problems.push({ field, reason });
    return [];
  };
  if (!isItem(summary)) return refuse(path, 'must be an object');
  const { summaryType: name } = summary;
  if (typeof name !== 'string')
    return refuse(`${path}.summaryType`, name === undefined ? 'is required' : 'must be a text');
  const plain = name.trim().toLowerCase().replaceAll(/[\s-]/g, '_');
  const type = ownValue(seriesOfSummary, plain);
  if (type === undefined) return refuse(`${path}.summaryType`, 'is not known');
  const field = fieldReader(summary, problems, `${path}.`);
  const values = {
    epochSummaries: field('epochSummaries', mapOf),
    avgValue: field('avgValue', numberIn(seriesRange(type, 1))),
  };
  return Object.entries(values).flatMap(([part, value]) =>
    value === null ? [] : [{ type, field: `${path}.${part}`, value }],
  );
}

/** A measurement of two minutes at rest. */
export const healthSnapshot = itemType(
  'healthSnapshot',
  {
    ...samplesOnly,
    offsetStartTimeInSeconds: kept('s', 'zone_offset'),
    'summaries[].summaryType': kept(null, 'series.heart_rate', 'series.respiratory_rate'),
    'summaries[].epochSummaries': kept(null, 'series.heart_rate', 'series.devicemaker_stress_level'),
    'summaries[].avgValue': kept(
      null,
      'series.heart_rate_variability_rmssd',
      'series.heart_rate_variability_sdnn',
    ),
    'summaries[].minValue': notKept(why.inSamples),
    'summaries[].maxValue': notKept(why.inSamples),
  },
  {
    supersede: 'longest',
    spellings: { startTimeOffsetInSeconds: ['startTimeOffsetInSeconds', 'offsetStartTimeInSeconds'] },
    complete: withSummaries,
  },
);

const data = kept(null, 'event.data');

/** A day of the menstrual cycle, kept whole. */
export const mct = cycleType('mct', {
  ...identity,
  summaryId: data,
  periodStartDate: kept(null, 'date', 'key', 'event.data'),
  dayInCycle: kept('days', 'date', 'event.data'),
  cycleLength: kept('days', 'event.data'),
  currentPhaseType: data,
  predictedCycleLength: kept('days', 'event.data'),
  isPredictedCycle: data,
  fertileWindowStart: kept('days', 'event.data'),
  pregnancySnapshot: data,
  ...assumed({
    periodLength: kept('days', 'event.data'),
    currentPhase: data,
    lengthOfCurrentPhase: kept('days', 'event.data'),
    daysUntilNextPhase: kept('days', 'event.data'),
    lengthOfFertileWindow: kept('days', 'event.data'),
    hasSpecifiedCycleLength: data,
    hasSpecifiedPeriodLength: data,
    lastUpdatedTimeInSeconds: kept('s', 'event.data'),
  }),
});
