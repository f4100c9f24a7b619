import { z } from 'zod';
import { extraOf } from '../../../domain/provider/extra-fields.ts';
import { parseInstant } from '../../../domain/time/time.ts';
import {
  type LapRecord,
  mostLaps,
  noFigures,
  sentDetails,
  type WorkoutExtras,
  type WorkoutSplit,
} from '../../../domain/workouts/details.ts';
import { activity } from '../fields.ts';

/** An invalid field counts as absent. */
const measure = (least: number, most: number) =>
  z.number().min(least).max(most).nullable().default(null).catch(null);
const whole = (least: number, most: number) =>
  z.number().transform(Math.round).pipe(z.int().min(least).max(most)).nullable().default(null).catch(null);
const text = (most: number) =>
  z
    .string()
    .transform((value) => value.replaceAll('\0', '').trim().slice(0, most).toWellFormed() || null)
    .nullable()
    .default(null)
    .catch(null);
const id = z
  .union([z.int(), z.string()])
  .transform((value) => String(value).replaceAll('\0', '').slice(0, 100).toWellFormed() || null)
  .nullable()
  .default(null)
  .catch(null);
const flag = z.boolean().nullable().default(null).catch(null);
const list = z.array(z.unknown()).nullable().default(null).catch(null);
const seconds = whole(0, 31 * 86_400);
const meters = measure(0, 10_000_000);
const speed = measure(0, 150);
const beats = measure(1, 300);
const cadence = measure(0, 300);
const watts = measure(0, 5000);
const altitude = measure(-1000, 50_000);

const Extras = z.object({
  average_cadence: cadence,
  average_speed: speed,
  max_speed: speed,
  average_watts: watts,
  max_watts: watts,
  weighted_average_watts: watts,
  kilojoules: measure(0, 1_000_000),
  elev_high: altitude,
  elev_low: altitude,
  average_temp: measure(-100, 100),
  gear_id: id,
  gear: z
    .object({ name: text(300) })
    .nullable()
    .default(null)
    .catch(null),
  description: text(5000),
  perceived_exertion: measure(0, 10),
  commute: flag,
  trainer: flag,
  external_id: text(300),
  upload_id: id,
  upload_id_str: text(100),
  laps: list,
  splits_metric: list,
  splits_standard: list,
});

const Lap = z.object({
  start_date: z.string().max(40),
  elapsed_time: seconds,
  moving_time: seconds,
  distance: meters,
  average_speed: speed,
  max_speed: speed,
  average_heartrate: beats,
  max_heartrate: beats,
  average_cadence: cadence,
  max_cadence: cadence,
  average_watts: watts,
  total_elevation_gain: measure(0, 100_000),
});

const Split = z.object({
  split: z.int().min(0).max(100_000),
  distance: meters,
  elapsed_time: seconds,
  moving_time: seconds,
  average_speed: speed,
  average_grade_adjusted_speed: speed,
  average_heartrate: beats,
  elevation_difference: measure(-100_000, 100_000),
  pace_zone: whole(0, 100),
});

/** The details, laps, splits and extra fields of an activity. The positions of its start and end are not read. */
export function activityExtras(details: unknown): WorkoutExtras {
  const fields = Extras.safeParse(details).data ?? Extras.parse({});
  return {
    details: detailsOf(fields),
    laps: lapsOf(fields.laps),
    splits: splitsOf(fields),
    extra: extraOf(details, activity),
  };
}

function detailsOf(fields: z.output<typeof Extras>) {
  return sentDetails({
    avg_cadence_rpm: fields.average_cadence,
    avg_speed_meters_per_second: fields.average_speed,
    max_speed_meters_per_second: fields.max_speed,
    avg_power_watts: fields.average_watts,
    max_power_watts: fields.max_watts,
    weighted_power_watts: fields.weighted_average_watts,
    work_kilojoules: fields.kilojoules,
    elevation_high_meters: fields.elev_high,
    elevation_low_meters: fields.elev_low,
    avg_temperature_celsius: fields.average_temp,
    gear_id: fields.gear_id,
    gear_name: fields.gear?.name ?? null,
    description: fields.description,
    perceived_exertion: fields.perceived_exertion,
    commute: fields.commute,
    indoor: fields.trainer,
    external_id: fields.external_id,
    upload_id: fields.upload_id_str ?? fields.upload_id,
  });
}

function lapsOf(given: readonly unknown[] | null): LapRecord[] | null {
  if (given === null || given.length === 0) return null;
  return given.slice(0, mostLaps).flatMap((one) => {
    const lap = Lap.safeParse(one).data;
    const startMs = lap === undefined ? undefined : parseInstant(lap.start_date)?.ms;
    if (lap === undefined || startMs === undefined) return [];
    return {
      ...noFigures,
      start_ms: startMs,
      end_ms: lap.elapsed_time === null ? null : startMs + lap.elapsed_time * 1000,
      duration_seconds: lap.elapsed_time,
      moving_seconds: lap.moving_time,
      distance_meters: lap.distance,
      avg_speed_meters_per_second: lap.average_speed,
      max_speed_meters_per_second: lap.max_speed,
      avg_heart_rate_bpm: lap.average_heartrate,
      max_heart_rate_bpm: lap.max_heartrate,
      avg_cadence_rpm: lap.average_cadence,
      max_cadence_rpm: lap.max_cadence,
      avg_power_watts: lap.average_watts,
      elevation_gain_meters: lap.total_elevation_gain,
    };
  });
}

function splitsOf({ splits_metric, splits_standard }: z.output<typeof Extras>): WorkoutSplit[] | null {
  const splits = [
    ...(splits_metric ?? []).flatMap((one) => splitOf(one, 'kilometer')),
    ...(splits_standard ?? []).flatMap((one) => splitOf(one, 'mile')),
  ];
  return splits.length === 0 ? null : splits.slice(0, mostLaps);
}

function splitOf(given: unknown, unit: WorkoutSplit['unit']): WorkoutSplit[] {
  const split = Split.safeParse(given).data;
  if (split === undefined) return [];
  return [
    {
      unit,
      split: split.split,
      distance_meters: split.distance,
      duration_seconds: split.elapsed_time,
      moving_seconds: split.moving_time,
      avg_speed_meters_per_second: split.average_speed,
      grade_adjusted_speed_meters_per_second: split.average_grade_adjusted_speed,
      avg_heart_rate_bpm: split.average_heartrate,
      elevation_difference_meters: split.elevation_difference,
      pace_zone: split.pace_zone,
    },
  ];
}
