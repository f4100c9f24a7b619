import { hash } from 'node:crypto';
import type { FieldReader } from '../../domain/provider/field-table.ts';
import type { PartIntervals } from '../../domain/provider/pulled-provider.ts';
import { numberOf } from '../../domain/recipe/read-fields.ts';
import { normaliserOf, type RecordType } from '../../domain/recipe/record-type.ts';
import type { StoreItem } from '../../domain/records/records.ts';
import type { Row } from './csv.ts';
import { type Entry, type Span, skipped } from './entry.ts';

/** A value that is 0 where nothing was measured. */
export const measured: FieldReader = (value) => ((numberOf(value) ?? 0) > 0 ? value : null);

/** Why elements and values are left out, by the reasons of the recipe. */
const sentences: Readonly<Record<string, string>> = {
  unreadable: 'The entry has no time.',
  time_out_of_range: 'The time is before 1990 or in the future.',
  value_out_of_range: 'The value is out of range.',
};

/** Reads the elements of a member by their table. */
export type ElementReader = (element: unknown, nowMs: number) => Entry[];

/** The reader of a table. `type` names its entries in the counts of an import. */
export function elementReader(dataType: string, type: string, table: RecordType): ElementReader {
  const normalise = normaliserOf(dataType, table);
  return (element, nowMs) => {
    const {
      items,
      intervals,
      skipped: left,
    } = normalise({
      records: { list: [element] },
      span: null,
      nowMs,
    });
    const notes = Object.entries(left).map(([reason, count]) =>
      skipped(type, sentences[reason] ?? reason, count),
    );
    return [...items.map((item) => itemEntry(item, type)), ...recordsOf(intervals), ...notes];
  };
}

/** Longer whole numbers are ids, or a digit for each part of a night. */
const number = /^-?(\d{1,15}|\d+\.\d+)(e[+-]?\d+)?$/i;

/** The cells of a row as values: numbers are numbers, and an empty cell is none. */
export function valuesIn(row: Row): Readonly<Record<string, string | number>> {
  const cells = Object.entries(row).map(([name, cell]) => [name, cell.trim()] as const);
  const filled = cells.filter(([, cell]) => cell !== '');
  return Object.fromEntries(filled.map(([name, cell]) => [name, number.test(cell) ? Number(cell) : cell]));
}

function recordsOf({ sources, intervals }: PartIntervals = { sources: [], intervals: [] }): Entry[] {
  return intervals.flatMap(({ type: series, source: place, ...interval }): Entry[] => {
    const source = sources[place];
    const record = { ...interval, kind: 'interval', series } as const;
    return source === undefined ? [] : [{ kind: 'record', record: { ...record, source } }];
  });
}

/** The entry of an item. An item of samples alone has the hash of them. */
export function itemEntry(item: StoreItem, type: string): Extract<Entry, { kind: 'item' }> {
  const hashed =
    item.hash === '' ? { ...item, hash: hash('sha256', JSON.stringify(item.samples), 'base64url') } : item;
  return { kind: 'item', item: hashed, type, span: spanOf(item) };
}

function spanOf({ workout, sleeps, day, day_values, scores, samples }: StoreItem): Span {
  const [sleep] = sleeps;
  const record = workout ?? sleep ?? scores[0];
  if (record !== undefined) return { start_ms: record.start_ms, end_ms: record.end_ms };
  const of = day ?? day_values;
  if (of !== null) return { start_ms: of.start_ms, end_ms: of.start_ms + of.duration_seconds * 1000 };
  const times = samples.flatMap(({ base_ms, at }) => [base_ms, base_ms + (at.at(-1) ?? 0)]);
  return { start_ms: Math.min(...times), end_ms: Math.max(...times) };
}
