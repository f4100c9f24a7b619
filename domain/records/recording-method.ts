/*
 * How a sample was made is part of the name of its device as it is stored, after a separator that no device name has.
 * Samples of another method are a series of their own, so that no row of a sample grows and the store compares names only.
 */

import type { SeriesType } from './series.ts';

/** How a sample was made, where its provider reports it. Samples that a device measured by itself have no method. */
export const recordingMethods = ['manual', 'on_demand'] as const;
export type RecordingMethod = (typeof recordingMethods)[number];

/** The device of values that the user typed in, where the provider names no device. */
export const manualDevice = 'manual';

const separator = '\u001f';
const endOf = (method: RecordingMethod) => `${separator}${method}`;
const longestName = 100;

/** The length that every name of a device may have beside a method. */
export const longestDevice =
  longestName - Math.max(...recordingMethods.map((method) => endOf(method).length));

/** The name under which samples of a device are stored. Null: the device measured by itself, or the method is unknown. */
export function withMethod(device: string, method: RecordingMethod | null): string {
  if (method === null || device === manualDevice) return device;
  const end = endOf(method);
  return `${device.slice(0, longestName - end.length).toWellFormed()}${end}`;
}

/** Types that workouts record. Their samples of an active recording are those of a workout. */
const ofWorkouts: ReadonlySet<SeriesType> = new Set([
  ...(['heart_rate', 'speed', 'cadence', 'swimming_cadence', 'power', 'running_power'] as const),
  ...(['running_speed', 'running_vertical_oscillation', 'running_ground_contact_time'] as const),
  ...(['running_stride_length', 'walking_speed', 'walking_step_length', 'underwater_depth'] as const),
  ...(['running_vertical_ratio', 'running_stance_time_balance', 'elevation'] as const),
  ...(['water_temperature', 'air_temperature', 'weather_temperature', 'weather_humidity'] as const),
]);

/** The method of a sample of a type that the provider calls actively recorded: the user started its recording. */
export function methodOfActive(type: SeriesType): RecordingMethod | null {
  return ofWorkouts.has(type) ? null : 'on_demand';
}

/** The device and the method of a stored name. */
export function readMethod(stored: string): { device: string; method: RecordingMethod | null } {
  if (stored === manualDevice) return { device: stored, method: 'manual' };
  const at = stored.lastIndexOf(separator);
  if (at === -1) return { device: stored, method: null };
  const method = recordingMethods.find((one) => one === stored.slice(at + separator.length)) ?? null;
  return method === null ? { device: stored, method } : { device: stored.slice(0, at), method };
}

/** The fields of the wire that name the source of samples. `recording_method` is absent without a method. */
export function sampleSource(provider: string, stored: string) {
  const { device, method } = readMethod(stored);
  return {
    source: { provider, device },
    ...(method === null ? {} : { recording_method: method }),
  };
}
