import { type FieldTable, isKept } from '../../domain/provider/field-table.ts';
import { type LapRecord, noFigures } from '../../domain/workouts/details.ts';

/** Fields with the names of their ends in a part of a record. */
type Ends = readonly (readonly [field: string, end: string])[];

/** The fields of a table that are figures of a part of a record. Texts and times have no unit. */
export function endsIn(table: FieldTable, part: 'workout' | 'details' | 'laps' | 'streams'): Ends {
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
