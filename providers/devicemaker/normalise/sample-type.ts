import { extraOf } from '../../../domain/provider/extra-fields.ts';
import type { FieldTable } from '../../../domain/provider/field-table.ts';
import type { Item } from '../../../domain/recipe/read-fields.ts';
import type { DayValuesRecord } from '../../../domain/records/day-values.ts';
import { bareItem } from '../../../domain/records/records.ts';
import { knownLocalDate } from '../../../domain/time/time.ts';
import { isObject, type Normaliser } from './item.ts';
import { named, type Spellings, underOwnNames } from './named.ts';
import { type ReadItem, readTimed } from './read-item.ts';
import { seriesFields } from './read-table.ts';
import { samplesOf } from './samples.ts';

/** What a table does not say of an item that consists of samples. */
export interface SampleRules {
  /** Records that grow keep the longest version, measurements the latest. */
  readonly supersede: 'longest' | 'latest';
  readonly spellings?: Spellings;
  /** The list that has the samples. `complete` reads it. */
  readonly list?: string;
  /** Changes what some senders write in another way, before spellings are replaced. */
  readonly prepare?: (item: Item) => Item;
  readonly complete?: (read: ReadItem) => ReadItem;
}

/** A data type of samples. An item that has none of the fields of its series uses an unknown spelling, and is rejected. */
export function sampleType(name: string, fields: FieldTable, rules: SampleRules) {
  const { spellings = {}, list, prepare, complete, supersede } = rules;
  const table = underOwnNames(fields, spellings);
  const anyOf = list === undefined ? seriesFields(table) : [list];
  const normalise: Normaliser = (item, nowMs) => {
    const given = readTimed(table, item, nowMs);
    if (!given.ok) return given;
    const read = complete?.(given) ?? given;
    const hasList = list !== undefined && Array.isArray(read.item[list]);
    const samples = samplesOf(read.readings, read.origin);
    const problems = [...read.problems, ...samples.problems];
    if (!hasList && !hasAny(given, anyOf))
      return { ok: false, problems: [...problems, { field: '', reason: `has none of ${anyOf.join(', ')}` }] };
    const last = samples.blocks.map(({ at }) => (at.at(-1) ?? 0) / 1000);
    const duration_seconds = read.draft.duration_seconds ?? Math.round(Math.max(0, ...last));
    const record = {
      ...{ ...bareItem, data_type: name, key: read.key, hash: read.hash, supersede, duration_seconds },
      day_values: dayValuesOf(read, fields, duration_seconds),
      samples: samples.blocks,
    };
    return { ok: true, item: record, problems };
  };
  const own = named(spellings, normalise);
  return {
    ...{ name, fields },
    normalise: prepare === undefined ? own : prepared(prepare, own),
  };
}

const prepared =
  (prepare: (item: Item) => Item, normalise: Normaliser): Normaliser =>
  (item, nowMs) =>
    normalise(isObject(item) ? prepare(item) : item, nowMs);

// An item that only reports "not measured" is complete.
function hasAny({ readings, problems }: ReadItem, names: readonly string[]): boolean {
  return (
    readings.length > 0 ||
    problems.some(({ field, placeholders = 0 }) => placeholders > 0 && names.includes(field))
  );
}

/** The values of a day that an item contains, and its further fields. Null if it has neither. */
export function dayValuesOf(
  { draft, item, origin }: ReadItem,
  fields: FieldTable,
  duration_seconds: number,
): DayValuesRecord | null {
  const { day_values: values = {}, date } = draft;
  const extra = extraOf(item, fields);
  if (extra === null && Object.keys(values).length === 0) return null;
  const { startMs: start_ms, zoneOffsetMinutes: zone_offset_minutes, device } = origin;
  const day = date ?? knownLocalDate(start_ms, zone_offset_minutes);
  return { date: day, start_ms, duration_seconds, zone_offset_minutes, device, values, extra };
}
