import { type FieldTable, isKept } from '../../../domain/provider/field-table.ts';
import { itemOfRecord, type RecordRules } from '../../../domain/recipe/item-of-record.ts';
import { type Item, isItem } from '../../../domain/recipe/read-fields.ts';
import type { DayRecord, SampleBlock } from '../../../domain/records/records.ts';
import { type Normalised, type Normaliser, type Refused, refused } from './item.ts';
import { compiled, type ReadItem, readItem, seriesFields, type TableRules } from './read-item.ts';
import { samplesOf } from './samples.ts';

/** One of our fields and its names at senders. The first name present is used. */
export type Spellings = Readonly<Record<string, readonly [string, ...string[]]>>;

/** What a table does not say of a data type. */
export interface ItemRules extends TableRules, Required<Pick<RecordRules, 'supersede'>> {
  readonly spellings?: Spellings;
  /** Changes what some senders write in another way, before spellings are replaced. */
  readonly prepare?: (item: Item) => Item;
  readonly complete?: (read: ReadItem, fields: FieldTable) => ReadItem | Refused;
}

const makesRecord = (fields: FieldTable): boolean =>
  Object.values(fields).some(
    (field) => isKept(field) && field.ends.some((end) => /^(workout|sleep|day|epoch|event)\./.test(end)),
  );

/** A data type. An item of samples that has none of the fields of its series uses an unknown spelling, and is rejected. */
export function itemType(name: string, fields: FieldTable, rules: ItemRules) {
  const { spellings = {}, prepare, complete, supersede } = rules;
  const table = compiled(underOwnNames(fields, spellings), rules);
  const anyOf = makesRecord(fields) ? [] : seriesFields(table);
  const made = (item: Item, nowMs: number): Normalised => {
    const read = readItem(table, item, nowMs);
    if (!read.ok) return read;
    const whole = complete?.(read, fields) ?? read;
    if (!whole.ok) return whole;
    const normalised = normalisedOf(name, { fields, supersede }, whole);
    if (anyOf.length === 0 || hasAny(read, anyOf)) return normalised;
    const problem = { field: '', reason: `has none of ${anyOf.join(', ')}` };
    return { ok: false, problems: [...normalised.problems, problem] };
  };
  const normalise: Normaliser = (given, nowMs) => {
    if (!isItem(given)) return refused('', 'must be an object');
    const { item, names } = renamed(prepare?.(given) ?? given, spellings);
    const result = made(item, nowMs);
    const problems = result.problems.map((one) => ({ ...one, field: names.get(one.field) ?? one.field }));
    return { ...result, problems };
  };
  return { name, fields, normalise };
}

/** The store item of an item that was read. Without a length of its own it lasts until its last sample. */
export function normalisedOf(name: string, rules: RecordRules, read: ReadItem): Normalised {
  const { blocks, problems } = samplesOf(read.readings, read);
  const last = blocks.map(({ at }) => (at.at(-1) ?? 0) / 1000);
  const { duration_seconds = Math.round(Math.max(0, ...last)) } = read.draft;
  const item = itemOfRecord(name, rules, { ...read, draft: { ...read.draft, duration_seconds } });
  const day = item.day === null ? null : withAverage(item.day, blocks);
  return {
    ok: true,
    item: { ...item, day, samples: blocks, ...read.parts },
    problems: [...read.problems, ...problems],
  };
}

// The provider's average may cover several days, so it is computed from the day's own values.
function withAverage(day: DayRecord, blocks: readonly SampleBlock[]): DayRecord {
  const values = blocks.find(({ type }) => type === 'heart_rate')?.values;
  if (values === undefined) return day;
  const sum = values.reduce((sum, value) => sum + value, 0);
  return { ...day, avg_heart_rate_bpm: Math.round(sum / values.length) };
}

// An item that only reports "not measured" is complete.
function hasAny({ readings, problems }: ReadItem, names: readonly string[]): boolean {
  return (
    readings.length > 0 ||
    problems.some(({ field, placeholders = 0 }) => placeholders > 0 && names.includes(field))
  );
}

/**
 * An item under our names, and the names that were sent. Unused spellings are removed too, so that the same content has the
 * same hash under every spelling.
 */
function renamed(item: Item, spellings: Spellings) {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const own: Record<string, unknown> = {};
  for (const [field, all] of Object.entries(spellings)) {
    const name = all.find((one) => (item[one] ?? null) !== null) ?? all[0];
    names.set(field, name);
    for (const one of [field, ...all]) taken.add(one);
    if (Object.hasOwn(item, name)) own[field] = item[name];
  }
  if (taken.size === 0) return { item, names };
  const others = Object.entries(item).filter(([name]) => !taken.has(name));
  return { item: { ...Object.fromEntries(others), ...own }, names };
}

// One row for all spellings of a field, under our name of it.
function underOwnNames(table: FieldTable, spellings: Spellings): FieldTable {
  const own = new Map(
    Object.entries(spellings).flatMap(([field, names]) => names.map((name) => [name, field] as const)),
  );
  return Object.fromEntries(Object.entries(table).map(([name, field]) => [own.get(name) ?? name, field]));
}
