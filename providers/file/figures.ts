import { type FieldTable, isKept } from '../../domain/provider/field-table.ts';
import type { StoreItem, WorkoutRecord } from '../../domain/records/records.ts';
import { type LapRecord, noFigures, sentDetails } from '../../domain/workouts/details.ts';
import { withinRanges } from '../../domain/workouts/ranges.ts';
import { skipped } from './entry.ts';

/** Fields with the names of their ends in a part of a record. */
type Ends = readonly (readonly [field: string, end: string])[];

/** The fields of a table that are figures of a part of a record. Texts and times have no unit. */
export function endsIn(table: FieldTable, part: 'workout' | 'details' | 'laps' | 'streams' | 'series'): Ends {
  return Object.entries(table).flatMap(([name, field]) =>
    isKept(field) && field.unit !== null
      ? field.ends.flatMap((end) => (end.startsWith(`${part}.`) ? [[name, end.slice(part.length + 1)]] : []))
      : [],
  );
}

/** The figures that have a value, by the names of their ends. */
export function figuresOf(ends: Ends, read: (field: string) => number | null): Record<string, number> {
  const figures: Record<string, number> = {};
  for (const [field, end] of ends) {
    const value = read(field);
    if (value !== null) figures[end] = value;
  }
  return figures;
}

/** A lap with its figures; null without a start. */
export function lapWith(
  start_ms: number,
  { duration_seconds: seconds, ...figures }: Record<string, number>,
): LapRecord | null {
  if (Number.isNaN(start_ms)) return null;
  const end_ms = seconds === undefined ? null : start_ms + Math.round(seconds * 1000);
  const { end_ms: _, ...others } = figures;
  return { start_ms, end_ms, ...noFigures, ...others, duration_seconds: seconds ?? null };
}

/** A workout without the figures that are out of their ranges, which are named. */
export function boundedWorkout(given: WorkoutRecord, extras: StoreItem['extras']) {
  const { kept, refused } = withinRanges(given, given.duration_seconds);
  const details = withinRanges(extras?.details ?? {}, given.duration_seconds);
  const laps = (extras?.laps ?? []).map((lap) =>
    withinRanges(lap, lap.duration_seconds ?? given.duration_seconds),
  );
  const sentence = (name: string) => `The ${name} is out of its range.`;
  const { distance_meters: meters, moving_seconds, duration_seconds } = kept;
  const isRefused = refused.includes('distance_meters') || refused.includes('moving_seconds');
  const pace = meters === null || meters <= 0 ? null : (1000 * (moving_seconds ?? duration_seconds)) / meters;
  return {
    workout: isRefused ? { ...kept, avg_pace_sec_per_km: pace } : kept,
    extras: extras && {
      ...extras,
      details: details.refused.length === 0 ? extras.details : sentDetails(details.kept),
      laps: extras.laps && laps.map((lap) => lap.kept),
    },
    notes: [
      ...[...refused, ...details.refused].map((name) => skipped('workouts', sentence(name))),
      ...laps.flatMap((lap) => lap.refused.map((name) => skipped('laps', sentence(name)))),
    ],
  };
}
