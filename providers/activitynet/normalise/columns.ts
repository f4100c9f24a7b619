import { type FieldReader, type FieldTable, isKept } from '../../../domain/provider/field-table.ts';
import { type Item, valueAt } from '../../../domain/recipe/read-fields.ts';

/** A number of a range. An invalid value counts as absent: one bad value does not cost the whole activity. */
export const measure =
  (least: number, most: number): FieldReader =>
  (value) =>
    typeof value === 'number' && value >= least && value <= most ? value : null;

/** A number of a range after rounding. */
export const whole = (least: number, most: number): FieldReader => {
  const read = measure(least, most);
  return (value, item) => (typeof value === 'number' ? read(Math.round(value), item) : null);
};

/** A flag. */
export const flag: FieldReader = (value) => (typeof value === 'boolean' ? value : null);

/** A text of at most `most` characters that PostgreSQL can store. */
export function textOf(value: unknown, most: number): string | null {
  if (typeof value !== 'string') return null;
  return value.replaceAll('\0', '').trim().slice(0, most).toWellFormed() || null;
}

/** A text, as `textOf` reads it. */
export const text =
  (most: number): FieldReader =>
  (value) =>
    textOf(value, most);

/** The columns of a part of a record by the readers of a table. Of fields with one end, the first one with a value counts. */
export function columnsOf(part: string, table: FieldTable): (item: Item) => Record<string, unknown> {
  const steps = Object.entries(table).flatMap(([path, field]) => {
    const { ends, read } = isKept(field) ? field : { ends: [] };
    const own = read === undefined ? [] : ends.filter((end) => end.startsWith(`${part}.`));
    return own.map((end) => ({ path: path.split('.'), column: end.slice(part.length + 1), read }));
  });
  return (item) => {
    const columns: Record<string, unknown> = {};
    for (const { path, column, read } of steps) {
      const made = columns[column] === undefined ? read?.(valueAt(item, path), item) : null;
      if (made !== null) columns[column] = made;
    }
    return columns;
  };
}
