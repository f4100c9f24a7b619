import { isExtra, isKept } from '../provider/field-table.ts';
import type { Normalised, PartRead, ReplacedTypes, Span } from '../provider/pulled-provider.ts';
import type { RecordFile, RecordFiles } from '../provider/record-file.ts';
import { summedTypes } from '../records/interval-records.ts';
import type { StoreItem } from '../records/records.ts';
import { isSeriesType, type SeriesType } from '../records/series.ts';
import { dayMs, earliestMs, minuteMs, noonOf } from '../time/time.ts';
import type { Track } from '../workouts/track.ts';
import { withAcceptedValues } from './accepted-values.ts';
import type { Draft } from './draft.ts';
import { withFile } from './file-parts.ts';
import { inUtc } from './in-utc.ts';
import { itemOfRecord, type RecordRules } from './item-of-record.ts';
import type { Made } from './made.ts';
import { withOffsetOfZone } from './offset-of-zone.ts';
import { type Item, isItem, readFields, stepsOf } from './read-fields.ts';
import { type IntervalNames, intervalsOf, isSummed, type SampleItem, sampleItems } from './sample-blocks.ts';

/** A kind of items of a provider: its fields, and what a table cannot say. */
export interface RecordType extends RecordRules {
  /** The name of the device of items that name none. */
  readonly device: string;
  /** Makes the items from the records of a pass, where several records are one item. */
  readonly join?: (records: readonly unknown[], span: Span | null) => readonly unknown[];
  /** Completes what the table read. A text is the reason why the item is left out. */
  readonly complete?: (draft: Draft, item: Item) => Draft | string;
  /** An end that is not read by the table of this type: `complete` makes it. */
  readonly makes?: readonly SeriesType[];
  /** How samples alone are items. Omitted: those of a part are one. */
  readonly sampleItem?: SampleItem;
  readonly intervals?: IntervalNames;
  /**
   * Its samples are those of its workouts, and go with them: none is deleted because a span is read again. Such a type, and one with
   * files, is named `activities`.
   */
  readonly ownsSamples?: boolean;
  /** A list may also show items that begin outside of the span: they are left to the read of their own span. */
  readonly isOfSpan?: true;
  /** The file that a record names, whose samples, laps and track it then has. */
  readonly file?: RecordFile;
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
      ['others', 'event'],
      ['others', 'nutrition'],
    ] as const
  ).flatMap(([kind, part]) => (makesPart(type, part) ? [kind] : []));
  const isOfDay = !records.includes('workouts') && !records.includes('sleeps');
  // Extra fields of other records are in the values of their day.
  if (isOfDay && Object.values(type.fields).some(isExtra)) records.push('days');
  return {
    series:
      type.ownsSamples === true || type.file !== undefined ? [] : series.filter((one) => !isSummed(one)),
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
  return ({ records, span, nowMs, files }) => {
    const { made, skipped } = madeFrom(type, records, { span, nowMs, files });
    const items = isRecord
      ? made.map((one) => itemOfRecord(name, type, one))
      : sampleItems(name, made, span?.startMs, type.sampleItem);
    const tracks = isRecord ? tracksOf(made, items) : [];
    return {
      items,
      skipped,
      ...(tracks.length === 0 ? {} : { tracks: new Map(tracks) }),
      ...(summed.length === 0 ? {} : { intervals: intervalsOf(name, summed, made, type.intervals) }),
    };
  };
}

// The items of all passes, and the number of those and of their values that are left out, by reason.
function madeFrom(type: RecordType, records: PartRead['records'], context: Context) {
  const { span } = context;
  const made: Made[] = [];
  const skipped: Record<string, number> = {};
  const skip = (reason: string, count: number) => {
    skipped[reason] = (skipped[reason] ?? 0) + count;
  };
  for (const [pass, all] of Object.entries(records))
    for (const item of type.join?.(all, span) ?? all) {
      const one = madeOf(type, item, pass, context);
      if (typeof one === 'string') skip(one, 1);
      else if (type.isOfSpan !== true || isIn(span, one.startMs)) made.push(one);
    }
  for (const { draft } of made)
    if (draft.skipped !== undefined)
      for (const [reason, count] of Object.entries(draft.skipped)) skip(reason, count);
  return { made, skipped };
}

const isIn = (span: Span | null, ms: number): boolean =>
  span === null || (ms >= span.startMs && ms < span.endMs);

function tracksOf(made: readonly Made[], items: readonly StoreItem[]): [key: string, track: Track][] {
  return made.flatMap(({ draft: { track } }, index): [string, Track][] => {
    const key = items[index]?.key;
    return track === undefined || key === undefined ? [] : [[key, track]];
  });
}

const longestMs = 31 * dayMs;

interface Context {
  readonly span: Span | null;
  readonly nowMs: number;
  readonly files: RecordFiles | undefined;
}

function madeOf(type: RecordType, item: unknown, pass: string, context: Context): Made | string {
  if (!isItem(item)) return 'unreadable';
  const read = readFields(type.fields, item);
  const given = type.complete === undefined ? read : type.complete(read, item);
  if (typeof given === 'string') return given;
  const { draft: own, offset, isLocal } = inUtcIfKnown(withOffsetOfZone(given));
  const { draft, ...ofFile } = withFile(own, item, type.file, context.files);
  const startMs = draft.start_time ?? (draft.date === undefined ? undefined : noonOf(draft.date));
  if (startMs === undefined) return 'unreadable';
  const endMs = draft.end_time ?? startMs + (draft.duration_seconds ?? 0) * 1000;
  if (startMs < earliestMs || startMs > context.nowMs + dayMs) return 'time_out_of_range';
  if (endMs < startMs || endMs - startMs > longestMs) return 'time_out_of_range';
  const device = draft.source ?? type.device;
  return {
    item,
    pass,
    draft: withAcceptedValues(draft),
    startMs,
    endMs,
    offset,
    isLocal,
    device,
    ...ofFile,
  };
}

/** A draft with times in UTC, unless they are of a clock whose offset it does not state: then the store places it. */
function inUtcIfKnown(draft: Draft): { draft: Draft; offset: number | null; isLocal: boolean } {
  const { isLocal = false, zone_offset: offset = null } = draft;
  if (!isLocal || offset === null) return { draft, offset, isLocal };
  return { draft: inUtc(draft, -offset * minuteMs), offset, isLocal: false };
}
