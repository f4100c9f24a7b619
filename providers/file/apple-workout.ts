import { hash } from 'node:crypto';
import { ownValue } from '../../domain/own-value.ts';
import type { StoreItem } from '../../domain/records/records.ts';
import { isoTime } from '../../domain/time/time.ts';
import { acceptsStream } from '../../domain/workouts/track.ts';
import { isProblem } from '../phone/normalise/item.ts';
import { readWorkout } from '../phone/normalise/workout.ts';
import {
  type AppleElement,
  type ExportClock,
  exportTime,
  itemSource,
  itemTimes,
  sentenceOf,
  sourceOf,
  spanOf,
} from './apple.ts';
import { keyOf, type Skipped, type Span, skipped, workoutDataType } from './entry.ts';
import { boundedWorkout } from './figures.ts';
import type { Point } from './recording.ts';

/** A workout, and the files of its routes in the archive. */
export interface AppleWorkout {
  readonly kind: 'workout';
  readonly item: StoreItem;
  readonly span: Span;
  readonly routes: readonly string[];
  /** The points of routes that are in the element itself, as exports before iOS 13 have them. */
  readonly points: readonly Point[];
  /** What of it is not kept. */
  readonly notes: readonly Skipped[];
}

/** Values of `WorkoutStatistics` by the end of the type: the attribute, and the name by which the app sends it. */
const statistics: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  HeartRate: { average: 'averageHeartRate', maximum: 'maxHeartRate', minimum: 'minHeartRate' },
  ActiveEnergyBurned: { sum: 'activeEnergyBurned' },
  BasalEnergyBurned: { sum: 'basalEnergyBurned' },
  StepCount: { sum: 'stepCount' },
  ...Object.fromEntries(
    ['WalkingRunning', 'Cycling', 'Swimming', 'DownhillSnowSports', 'Wheelchair', 'Rowing'].map((way) => [
      `Distance${way}`,
      { sum: 'distance' },
    ]),
  ),
  RunningSpeed: { average: 'averageRunningSpeed', maximum: 'maxSpeed' },
  CyclingSpeed: { average: 'averageSpeed', maximum: 'maxSpeed' },
  RunningPower: { average: 'averagePower', maximum: 'maxPower' },
  CyclingPower: { average: 'averagePower', maximum: 'maxPower' },
  CyclingCadence: { average: 'averageCadence', maximum: 'maxCadence' },
  SwimmingStrokeCount: { sum: 'swimmingStrokeCount' },
};

/** Metadata with a value and its unit (`1234 cm`), and the name by which the app sends it. */
const metadataValues: Readonly<Record<string, string>> = {
  HKElevationAscended: 'elevationAscended',
  HKElevationDescended: 'elevationDescended',
  HKWeatherTemperature: 'weatherTemperature',
  HKLapLength: 'lapLength',
  HKIndoorWorkout: 'indoorWorkout',
};

/** Attributes with a value, whose unit is in an attribute of its own. The app sends them by the same names. */
const attributeValues = ['duration', 'totalDistance', 'totalEnergyBurned'];

interface Value {
  readonly type: string;
  readonly value: number;
  readonly unit: string | undefined;
}

/** Reads a `Workout` with its statistics, laps and routes. */
export function readAppleWorkout(
  element: AppleElement,
  nowMs: number,
  clock: ExportClock,
): AppleWorkout | Skipped {
  const { attributes, metadata } = element;
  const span = spanOf(element, nowMs, clock);
  if (typeof span === 'string') return skipped('workouts', span);
  const type = (attributes.workoutActivityType ?? '')
    .replace(/^HKWorkoutActivityType/, '')
    .replaceAll(/(?!^)([A-Z])/g, '_$1')
    .toLowerCase();
  const source = sourceOf(element);
  const item = {
    id: keyOf(type, source, span, null),
    type,
    ...itemTimes(span),
    source: itemSource(source),
    title: metadata?.HKWorkoutBrandName,
    values: valuesOf(element),
    laps: lapsOf(element),
  };
  const read = readWorkout(item, nowMs, null);
  if (isProblem(read)) return skipped('workouts', sentenceOf(read));
  const inRoutes = (name: string) =>
    childrenOf(element, 'WorkoutRoute').flatMap((route) => childrenOf(route, name));
  const routes = inRoutes('FileReference').map(({ attributes: { path = '' } }) => path);
  const points = inRoutes('Location').map(pointOf);
  const content = JSON.stringify({ ...item, routes, points });
  const timed = points.filter(({ ms }) => !Number.isNaN(ms));
  const untimed = points.length - timed.length;
  const { workout, extras, notes } =
    read.workout === null ? { ...read, notes: [] } : boundedWorkout(read.workout, read.extras);
  return {
    kind: 'workout',
    item: {
      ...read,
      workout,
      extras,
      data_type: workoutDataType,
      hash: hash('sha256', content, 'base64url'),
    },
    span: { start_ms: span.start_ms, end_ms: span.end_ms },
    routes,
    points: timed,
    notes: untimed === 0 ? notes : [...notes, skipped('points', 'The time cannot be read.', untimed)],
  };
}

/** Attributes of a position with the streams that they fill. */
const locationStreams = ['latitude', 'longitude', 'altitude', 'speed'] as const;

function pointOf({ attributes }: AppleElement): Point {
  const measured = locationStreams.flatMap((stream) => {
    const { [stream]: text = '' } = attributes;
    return text === '' || !acceptsStream(stream, Number(text)) ? [] : [[stream, Number(text)] as const];
  });
  return { ms: exportTime(attributes.date) ?? Number.NaN, ...Object.fromEntries(measured) };
}

function childrenOf({ children }: AppleElement, name: string): AppleElement[] {
  return (children ?? []).filter((one) => one.name === name);
}

function valuesOf(element: AppleElement): Value[] {
  const { attributes, metadata } = element;
  return [
    ...childrenOf(element, 'WorkoutStatistics').flatMap(statisticsOf),
    ...attributeValues.map((type) => ({
      type,
      value: Number(attributes[type]),
      unit: attributes[`${type}Unit`],
    })),
    ...Object.entries(metadataValues).map(([name, type]) => {
      const [value, unit] = (metadata?.[name] ?? '').split(' ');
      return { type, value: value === '' ? Number.NaN : Number(value), unit };
    }),
  ].filter(({ value }) => Number.isFinite(value));
}

function statisticsOf({ attributes }: AppleElement): Value[] {
  const name = (attributes.type ?? '').replace(/^HKQuantityTypeIdentifier/, '');
  return Object.entries(ownValue(statistics, name) ?? {}).map(([attribute, type]) => ({
    type,
    value: Number(attributes[attribute]),
    unit: attributes.unit,
  }));
}

const secondsOf: Readonly<Record<string, number>> = { s: 1, min: 60, hr: 3600 };

function lapsOf(element: AppleElement) {
  return childrenOf(element, 'WorkoutEvent').flatMap(({ attributes }) => {
    const { type, date, duration, durationUnit = 'min' } = attributes;
    if (type !== 'HKWorkoutEventTypeLap') return [];
    const startMs = exportTime(date);
    if (startMs === null) return [];
    const lengthMs = Number(duration ?? 0) * (ownValue(secondsOf, durationUnit) ?? 60) * 1000;
    const endMs = startMs + lengthMs;
    return Number.isNaN(endMs) ? [] : [{ startDate: isoTime(startMs), endDate: isoTime(endMs) }];
  });
}
