import type { BodySummary } from '../../contracts/summaries/schemas.ts';
import type { BodyFacts, LatestValue, PeriodMean, PressureReadings } from '../../domain/provider/facts.ts';
import { byPriority, largest } from '../../domain/provider/source-choice.ts';
import type { SeriesType } from '../../domain/records/series.ts';
import { formatInstant } from '../../domain/time/time.ts';
import { hundredths, type SourceRules, sourceToWire, whole } from './sources.ts';

/** A measurement with its time and source. */
interface Measured {
  readonly provider: string;
  readonly device: string;
  readonly at_ms: number;
}

/**
 * The summary of a body, null if nothing is known. Slowly changing values and single readings are the newest of all
 * providers. Means and blood pressures are those of the provider with the highest priority that has any. No provider
 * sends an age, and the body mass index is not computed from weight and height.
 */
export function bodyToWire(facts: BodyFacts, periodDays: number, rules: SourceRules): BodySummary | null {
  const values = valuesOf(facts, rules);
  const newest = largest(
    Object.values(values).filter((value) => value !== undefined),
    ({ at_ms }: Measured) => at_ms,
  );
  if (newest === undefined) return null;
  return {
    source: sourceToWire(newest.provider, newest.device, rules),
    slow_changing: {
      weight_kg: values.weight?.value ?? null,
      height_cm: values.height?.value ?? null,
      body_fat_percent: values.fat?.value ?? null,
      muscle_mass_kg: values.muscle?.value ?? null,
      bmi: values.bmi?.value ?? null,
      age: null,
    },
    averaged: {
      period_days: periodDays,
      resting_heart_rate_bpm: whole(values.resting?.mean ?? null),
      avg_hrv_sdnn_ms: hundredths(values.variability?.mean ?? null),
      period_start: formatInstant(facts.period_start_ms),
      period_end: formatInstant(facts.period_end_ms),
    },
    latest: {
      body_temperature_celsius: values.body?.value ?? null,
      body_temperature_measured_at: timeOf(values.body),
      skin_temperature_celsius: values.skin?.value ?? null,
      skin_temperature_measured_at: timeOf(values.skin),
      blood_pressure: values.pressure === undefined ? null : pressureToWire(values.pressure),
      blood_pressure_measured_at: timeOf(values.pressure),
    },
  };
}

function valuesOf({ slow, means, readings, pressures }: BodyFacts, rules: SourceRules) {
  const newestOf = (values: readonly LatestValue[], type: SeriesType) =>
    largest(byPriority(values.filter(ofType(type)), rules), ({ at_ms }) => at_ms);
  const bestOf = (type: SeriesType) => byPriority<PeriodMean>(means.filter(ofType(type)), rules)[0];
  return {
    weight: newestOf(slow, 'weight'),
    height: newestOf(slow, 'height'),
    fat: newestOf(slow, 'body_fat_percentage'),
    muscle: newestOf(slow, 'skeletal_muscle_mass'),
    bmi: newestOf(slow, 'body_mass_index'),
    resting: bestOf('resting_heart_rate'),
    variability: bestOf('heart_rate_variability_sdnn'),
    body: newestOf(readings, 'body_temperature'),
    skin: newestOf(readings, 'skin_temperature'),
    pressure: byPriority(pressures, rules)[0],
  };
}

function ofType(type: SeriesType) {
  return (entry: { readonly type: string }) => entry.type === type;
}

function timeOf(measurement: Measured | undefined): string | null {
  return measurement === undefined ? null : formatInstant(measurement.at_ms);
}

function pressureToWire(readings: PressureReadings) {
  return {
    avg_systolic_mmhg: hundredths(readings.avg_systolic),
    avg_diastolic_mmhg: hundredths(readings.avg_diastolic),
    max_systolic_mmhg: readings.max_systolic,
    max_diastolic_mmhg: readings.max_diastolic,
    min_systolic_mmhg: readings.min_systolic,
    min_diastolic_mmhg: readings.min_diastolic,
    reading_count: readings.reading_count,
  };
}
