import { z } from 'zod';
import type { DeviceType } from '../../../domain/records/interval-records.ts';
import { methodOfActive, withMethod } from '../../../domain/records/recording-method.ts';
import type { SeriesType } from '../../../domain/records/series.ts';
import { parseInstant } from '../../../domain/time/time.ts';

/** A number; the provider may send it as a string. Null: it is missing or none. */
export function numberAt(value: unknown, path: string): number | null {
  let found = value;
  for (const name of path.split('.')) found = isObject(found) ? found[name] : undefined;
  if (typeof found === 'string' && /^-?\d+(\.\d+)?$/.test(found)) return Number(found);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

/** Whether a value is an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Seconds of a duration such as `7200s`. Null: it cannot be read. */
export function secondsOf(duration: unknown): number | null {
  const found = /^(-?\d{1,9})(?:\.\d+)?s$/.exec(typeof duration === 'string' ? duration : '');
  return found === null ? null : Number(found[1]);
}

/** Milliseconds of a timestamp. Null: it cannot be read. */
export function msOf(time: unknown): number | null {
  return typeof time === 'string' && time.length <= 40 ? (parseInstant(time)?.ms ?? null) : null;
}

const mostOffsetMinutes = 1080;

/** Minutes of a UTC offset such as `7200s`. */
export function offsetOf(offset: unknown): number | null {
  const seconds = secondsOf(offset);
  if (seconds === null) return null;
  const minutes = Math.round(seconds / 60);
  return Math.abs(minutes) <= mostOffsetMinutes ? minutes : null;
}

/** A start and an end, with the offset of the local clock. */
export interface PointSpan {
  readonly startMs: number;
  readonly endMs: number;
  readonly offsetMinutes: number | null;
}

/** The interval of a point's value. Null: it has none. */
export function intervalOf(value: Readonly<Record<string, unknown>>): PointSpan | null {
  const interval = isObject(value.interval) ? value.interval : {};
  const [startMs, endMs] = [msOf(interval.startTime), msOf(interval.endTime)];
  if (startMs === null || endMs === null || endMs < startMs) return null;
  return { startMs, endMs, offsetMinutes: offsetOf(interval.startUtcOffset) };
}

const Named = z.string().min(1).max(2000);
const deviceTypes: Readonly<Record<string, DeviceType>> = {
  WATCH: 'watch',
  FITNESS_BAND: 'band',
  BAND: 'band',
  RING: 'ring',
  PHONE: 'phone',
  SCALE: 'scale',
};

/** The device of a point. */
export interface PointDevice {
  readonly type: DeviceType;
  readonly name: string;
}

/** The name of the provider's merge of all devices. */
export const merged: PointDevice = { type: 'merged', name: 'merged' };

/** The device that a point names. */
export function deviceOf(point: Readonly<Record<string, unknown>>): PointDevice {
  const source = isObject(point.dataSource) ? point.dataSource : {};
  const device = isObject(source.device) ? source.device : {};
  const name = [device.displayName, device.model, device.manufacturer].find(
    (one): one is string => typeof one === 'string' && one.trim() !== '',
  );
  const type = isManual(source.recordingMethod)
    ? 'manual'
    : (deviceTypes[String(device.formFactor)] ?? 'unknown');
  return { type, name: (name ?? 'unknown').trim().slice(0, 100).toWellFormed() };
}

/** The name under which samples of a point are stored: its device, and how it made them. */
export function sampleDevice(point: Readonly<Record<string, unknown>>, type: SeriesType): string {
  const { name } = deviceOf(point);
  const method = isObject(point.dataSource) ? point.dataSource.recordingMethod : null;
  if (isManual(method)) return withMethod(name, 'manual');
  return method === 'ACTIVELY_MEASURED' ? withMethod(name, methodOfActive(type)) : name;
}

const isManual = (method: unknown) => method === 'MANUAL' || method === 'MANUAL_ENTRY';

const longestId = 200;

/** The last segment of a point's name, which identifies it. Null: it has no name. */
export function idOf(point: Readonly<Record<string, unknown>>): string | null {
  const read = Named.safeParse(point.name ?? point.dataPointName);
  const id = read.success ? (read.data.split('/').at(-1) ?? '') : '';
  return id === '' || id.length > longestId ? null : id;
}
