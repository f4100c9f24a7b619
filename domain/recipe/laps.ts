import { withoutNoise } from '../json/decimals.ts';
import type { FieldTable } from '../provider/field-table.ts';
import { LapRecord, noFigures } from '../workouts/details.ts';
import { type Item, readPart } from './read-fields.ts';

/**
 * A lap that begins at an instant, by the table of an element of a list. Its end follows from its duration, and its mean speed from its
 * distance, unless the table has them.
 */
export function lapOf(table: FieldTable, item: Item, startMs: number): LapRecord {
  const figures = LapRecord.partial().parse(readPart(table, item, 'laps'));
  const { duration_seconds: seconds = null, distance_meters: meters = null } = figures;
  const speed = seconds === null || meters === null || !(seconds > 0) ? null : withoutNoise(meters / seconds);
  const derived = {
    ...noFigures,
    end_ms: seconds === null ? null : startMs + Math.round(seconds * 1000),
    avg_speed_meters_per_second: speed,
  };
  return Object.assign(derived, figures, { start_ms: startMs });
}
