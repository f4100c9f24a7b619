import type { SeriesType } from '../../domain/records/series.ts';
import { dateToMs } from '../../domain/time/time.ts';
import type { SampleSink } from '../simulation/expected-series.ts';
import type { PushBody } from './payloads.ts';

/** The samples that result from the items. Only activities name their device. */
type Items<T extends keyof PushBody> = NonNullable<PushBody[T]>;
type Map = Readonly<Record<string, number>> | undefined;
const unnamed = 'unknown';
const typedIn = 'unknown (manual)';
const onDemand = 'unknown (on demand)';

/** Adds the samples of a notification's items except epochs, which depend on all parts of a slot. */
export function addItems(series: SampleSink, body: PushBody): void {
  addDays(series, body);
  addNights(series, body);
  addMaps(series, body);
  addMeasurements(series, body);
  for (const item of body.activityDetails ?? []) addDetails(series, item);
  for (const item of body.healthSnapshot ?? []) addSnapshot(series, item);
}

function addMap(series: SampleSink, type: SeriesType, start: number, map: Map, device = unnamed): void {
  for (const [offset, value] of Object.entries(map ?? {}))
    series.add(type, device, start + Number(offset), value);
}

function addDays(series: SampleSink, { dailies = [] }: PushBody): void {
  for (const item of dailies) {
    const start = item.startTimeInSeconds;
    addMap(series, 'heart_rate', start, item.timeOffsetHeartRateSamples);
    series.add('resting_heart_rate', unnamed, start, item.restingHeartRateInBeatsPerMinute);
  }
}

function addNights(
  series: SampleSink,
  { sleeps = [], hrv = [], pulseOx = [], skinTemp = [] }: PushBody,
): void {
  for (const item of sleeps) {
    addMap(series, 'oxygen_saturation', item.startTimeInSeconds, item.timeOffsetSleepSpo2);
    addMap(series, 'respiratory_rate', item.startTimeInSeconds, item.timeOffsetSleepRespiration);
  }
  for (const item of hrv)
    addMap(series, 'heart_rate_variability_rmssd', item.startTimeInSeconds, item.hrvValues);
  for (const item of pulseOx) {
    const device = item.onDemand ? onDemand : unnamed;
    addMap(series, 'oxygen_saturation', item.startTimeInSeconds, item.timeOffsetSpo2Values, device);
  }
  for (const item of skinTemp)
    series.add('devicemaker_skin_temperature', unnamed, item.startTimeInSeconds, item.avgDeviationCelsius);
}

function addMaps(series: SampleSink, { stressDetails = [], respiration = [] }: PushBody): void {
  for (const item of stressDetails) {
    addMap(series, 'devicemaker_stress_level', item.startTimeInSeconds, item.timeOffsetStressLevelValues);
    addMap(series, 'devicemaker_body_battery', item.startTimeInSeconds, item.timeOffsetBodyBatteryValues);
  }
  for (const item of respiration)
    addMap(series, 'respiratory_rate', item.startTimeInSeconds, item.timeOffsetEpochToBreaths);
}

function addMeasurements(
  series: SampleSink,
  { bodyComps = [], bloodPressures = [], userMetrics = [] }: PushBody,
): void {
  for (const item of bodyComps) {
    const at = item.measurementTimeInSeconds;
    const kilograms = item.weightInGrams / 1000;
    const fat = (kilograms * item.bodyFatInPercent) / 100;
    series.add('weight', unnamed, at, kilograms);
    series.add('skeletal_muscle_mass', unnamed, at, item.muscleMassInGrams / 1000);
    series.add('bone_mass', unnamed, at, item.boneMassInGrams / 1000);
    series.add('body_water_percentage', unnamed, at, item.bodyWaterInPercent);
    series.add('body_fat_percentage', unnamed, at, item.bodyFatInPercent);
    series.add('body_mass_index', unnamed, at, item.bodyMassIndex);
    series.add('body_fat_mass', unnamed, at, fat);
    series.add('lean_body_mass', unnamed, at, kilograms - fat);
  }
  for (const item of bloodPressures) {
    series.add('blood_pressure_systolic', typedIn, item.measurementTimeInSeconds, item.systolic);
    series.add('blood_pressure_diastolic', typedIn, item.measurementTimeInSeconds, item.diastolic);
    series.add('heart_rate', typedIn, item.measurementTimeInSeconds, item.pulse);
  }
  for (const item of userMetrics) {
    const noon = dateToMs(item.calendarDate) / 1000 + 12 * 3600;
    series.add('vo2_max', unnamed, noon, item.vo2Max);
    series.add('vo2_max_cycling', unnamed, noon, item.vo2MaxCycling);
    series.add('devicemaker_fitness_age', unnamed, noon, item.fitnessAge);
  }
}

/** Adds the samples of slots: for each series the sum of the parts, or their mean weighted by active time. */
export function addEpochs(series: SampleSink, epochs: Items<'epochs'>): void {
  for (const [at, parts] of Map.groupBy(epochs, (one) => one.startTimeInSeconds)) {
    const add = (type: SeriesType, value: number) => series.add(type, unnamed, at, value);
    const sum = (field: EpochSum, of = parts) => of.reduce((total, part) => total + part[field], 0);
    add('steps', sum('steps'));
    add('energy', sum('activeKilocalories'));
    for (const [way, own] of Map.groupBy(parts, ({ activityType }) => wayOf(activityType)))
      add(way, sum('distanceInMeters', own));
    const weighted = parts.reduce((total, part) => total + part.met * part.activeTimeInSeconds, 0);
    add('average_met', weighted / sum('activeTimeInSeconds'));
  }
}

type EpochSum = 'steps' | 'activeKilocalories' | 'distanceInMeters' | 'activeTimeInSeconds';

function wayOf(activityType: string): SeriesType {
  if (/BIKING|CYCLING/.test(activityType)) return 'distance_cycling';
  if (/SWIMMING/.test(activityType)) return 'distance_swimming';
  return /ROWING/.test(activityType) ? 'distance_other' : 'distance_walking_running';
}

function addDetails(series: SampleSink, { summary, samples }: Items<'activityDetails'>[number]): void {
  for (const one of samples) {
    const at = one.startTimeInSeconds ?? 0;
    series.add('heart_rate', summary.deviceName, at, one.heartRate);
    series.add('speed', summary.deviceName, at, one.speedMetersPerSecond);
    series.add('cadence', summary.deviceName, at, cadenceOf(one));
    series.add('swimming_cadence', summary.deviceName, at, one.swimCadenceInStrokesPerMinute);
    series.add('power', summary.deviceName, at, one.powerInWatts);
    series.add('weather_temperature', summary.deviceName, at, one.airTemperatureCelcius);
  }
}

// Revolutions of the crank, otherwise steps of one foot. A 0 counts only if there is no other value.
function cadenceOf({
  bikeCadenceInRPM,
  stepsPerMinute,
}: Readonly<Record<string, number>>): number | undefined {
  const ofFoot = stepsPerMinute === undefined ? undefined : stepsPerMinute / 2;
  return bikeCadenceInRPM || ofFoot || (bikeCadenceInRPM ?? ofFoot);
}

const snapshotSeries: Readonly<Record<string, SeriesType>> = {
  heart_rate: 'heart_rate',
  respiration: 'respiratory_rate',
  stress: 'devicemaker_stress_level',
  spo2: 'oxygen_saturation',
  rmssd_hrv: 'heart_rate_variability_rmssd',
  sdrr_hrv: 'heart_rate_variability_sdnn',
};

function addSnapshot(series: SampleSink, item: Items<'healthSnapshot'>[number]): void {
  for (const summary of item.summaries) {
    const type = snapshotSeries[summary.summaryType];
    if (type === undefined) continue;
    if ('epochSummaries' in summary) addMap(series, type, item.startTimeInSeconds, summary.epochSummaries);
    else series.add(type, unnamed, item.startTimeInSeconds, summary.avgValue);
  }
}
