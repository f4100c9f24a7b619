import { type FieldTable, isExtra, isKept } from '../provider/field-table.ts';
import type { Normalised, PartRead, ReplacedTypes, Span } from '../provider/pulled-provider.ts';
import { summedTypes } from '../records/interval-records.ts';
import { isSeriesType, type SeriesType } from '../records/series.ts';
import { dateToMs, dayMs, earliestMs, hourMs, knownLocalDate, minuteMs } from '../time/time.ts';
import type { Draft } from './draft.ts';
import { itemOfRecord } from './item-of-record.ts';
import type { Made } from './made.ts';
import { type Item, isItem, readFields, stepsOf } from './read-fields.ts';
import { intervalsOf, isSummed, sampleItems } from './sample-blocks.ts';

/** A kind of items of a provider: its fields, and what a table cannot say. */
export interface RecordType {
  readonly fields: FieldTable;
  /** The name of the device of items that name none. */
  readonly device: string;
  /** Makes the items from the records of a part, where several records are one item. */
  readonly join?: (records: readonly unknown[], span: Span | null) => readonly unknown[];
  /** Completes what the table read. A text is the reason why the item is left out. */
  readonly complete?: (draft: Draft, item: Item) => Draft | string;
  /** An end that is not read by the table of this type: `complete` makes it. */
  readonly makes?: readonly SeriesType[];
  /** The names of devices of samples. Samples of others are kept when a span is read again. */
  readonly devices?: readonly string[];
}

/** The part that names what a table makes, as the ends of its fields begin. */
function makesPart({ fields }: RecordType, part: string): boolean {
  return Object.values(fields).some(
    (field) => isKept(field) && field.ends.some((end) => end.startsWith(`${part}.`)),
  );
}

function seriesOfType({ fields, makes = [] }: RecordType): SeriesType[] {
  const named = Object.values(fields).flatMap((field) => (isKept(field) ? field.ends : []));
  const read = named.filter((end) => end.startsWith('series.')).map((end) => end.slice('series.'.length));
  return [...new Set([...read, ...makes])].filter(isSeriesType);
}

/** What a read of a span replaces, by the ends of a table. */
export function replacedBy(type: RecordType): ReplacedTypes {
  const series = seriesOfType(type);
  const records = (
    [
      ['workouts', 'workout'],
      ['sleeps', 'sleep'],
      ['days', 'day'],
      ['days', 'day_values'],
      ['scores', 'score'],
    ] as const
  ).flatMap(([kind, part]) => (makesPart(type, part) ? [kind] : []));
  const isOfDay = !records.includes('workouts') && !records.includes('sleeps');
  // Extra fields of other records are in the values of their day.
  if (isOfDay && Object.values(type.fields).some(isExtra)) records.push('days');
  return {
    series: series.filter((one) => !isSummed(one)),
    intervals: summedTypes.filter((one) => series.includes(one)),
    records: [...new Set(records)],
    ...(type.devices === undefined ? {} : { devices: type.devices }),
  };
}

/** Makes the normaliser of a type. The items of all passes of a part are of this type. */
export function normaliserOf(name: string, type: RecordType): (read: PartRead) => Normalised {
  stepsOf(type.fields);
  const isRecord =
    ['workout', 'sleep', 'day', 'day_values', 'score'].some((part) => makesPart(type, part)) ||
    Object.values(type.fields).some(isExtra);
  const summed = seriesOfType(type).filter(isSummed);
  return ({ records, span, nowMs, offsetMinutes }) => {
    const skipped: Record<string, number> = {};
    const all = Object.values(records).flat();
    const made = (type.join?.(all, span) ?? all).flatMap((item): Made[] => {
      const one = madeOf(type, item, { nowMs, offsetMinutes: offsetMinutes ?? null });
      if (typeof one !== 'string') return [one];
      skipped[one] = (skipped[one] ?? 0) + 1;
      return [];
    });
    const items = isRecord
      ? made.map((one) => itemOfRecord(name, type.fields, one))
      : sampleItems(name, made, span?.startMs);
    return summed.length === 0
      ? { items, skipped }
      : { items, skipped, intervals: intervalsOf(name, summed, made) };
  };
}

const longestMs = 31 * dayMs;

function madeOf(
  type: RecordType,
  item: unknown,
  context: { readonly nowMs: number; readonly offsetMinutes: number | null },
): Made | string {
  if (!isItem(item)) return 'unreadable';
  const read = readFields(type.fields, item);
  const draft = type.complete === undefined ? read : type.complete(read, item);
  if (typeof draft === 'string') return draft;
  const offset = draft.zone_offset ?? (draft.isLocal === true ? context.offsetMinutes : null);
  const toUtc = (ms: number) => (draft.isLocal === true ? ms - (offset ?? 0) * minuteMs : ms);
  // A value of a day without a time is at noon UTC: it belongs to that day for nearly every offset.
  const start =
    draft.start_time ?? (draft.date === undefined ? undefined : dateToMs(draft.date) + 12 * hourMs);
  if (start === undefined) return 'unreadable';
  const startMs = draft.start_time === undefined ? start : toUtc(start);
  const endMs =
    draft.end_time === undefined ? startMs + (draft.duration_seconds ?? 0) * 1000 : toUtc(draft.end_time);
  if (startMs < earliestMs || startMs > context.nowMs + dayMs) return 'time_out_of_range';
  if (endMs < startMs || endMs - startMs > longestMs) return 'time_out_of_range';
  const date = draft.date ?? knownLocalDate(draft.sleep === undefined ? startMs : endMs, offset);
  return { item, draft, startMs, endMs, offset, date, device: draft.source ?? type.device };
}
