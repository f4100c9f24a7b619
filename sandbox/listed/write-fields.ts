import { withoutNoise } from '../../domain/json/decimals.ts';
import {
  type Field,
  type FieldEnd,
  type FieldTable,
  isKept,
  isMarkedAbsent,
  noValue,
} from '../../domain/provider/field-table.ts';
import type { Draft } from '../../domain/recipe/draft.ts';
import { type Item, isItem, valueAt, zoneName } from '../../domain/recipe/read-fields.ts';
import { columnUnit, factorOf } from '../../domain/recipe/units.ts';
import { isSeriesType, seriesOf } from '../../domain/records/series.ts';
import { formatOffset, isoTime, localTime, minuteMs } from '../../domain/time/time.ts';
import { plainNumber } from './plain.ts';

/** What fields have that end nowhere of ours. */
export interface PlainValues {
  readonly version: number;
  /** When the provider made the record. */
  readonly madeMs: number;
  /** Times are in UTC: the record names its offset in a field of its own, or not at all. */
  readonly isUtc: boolean;
}

/**
 * A record of a provider, made backwards: `readFields` puts the value at a path into an end, and this puts the value of an end at the
 * path, in the unit of the provider. What the simulation does not have is a plain value by unit or name.
 */
export function writeFields(table: FieldTable, draft: Draft, plain: PlainValues): Item {
  let item: Item = {};
  for (const [path, field] of Object.entries(table)) {
    const value = fieldValue(path, field, { draft, plain });
    if (value !== undefined && !isMarkedAbsent(field, value)) item = withValue(item, path.split('.'), value);
  }
  return item;
}

/** The paths of fields with a reader and without an example: what a simulated provider sends in them is not known. */
export function fieldsWithoutExample(table: FieldTable): string[] {
  return Object.entries(table).flatMap(([path, field]) => {
    const isRead = isKept(field) && field.read !== undefined && field.read !== noValue;
    return isRead && field.example === undefined ? [path] : [];
  });
}

/** An item with a value at a path. A list has one element, whose fields have values. */
export function withValue(item: Item, [name = '', ...rest]: readonly string[], value: unknown): Item {
  const own = name.replace('[]', '');
  const isList = own !== name;
  const known: unknown = isList && Array.isArray(item[own]) ? item[own][0] : item[own];
  const next = rest.length === 0 ? value : withValue(isItem(known) ? known : {}, rest, value);
  return { ...item, [own]: isList ? [next] : next };
}

interface Context {
  readonly draft: Draft;
  readonly plain: PlainValues;
}

function fieldValue(path: string, field: Field, context: Context): unknown {
  const { example } = field;
  const [end] = isKept(field) ? field.ends : (['extra'] as const);
  const value = end === 'extra' ? undefined : endValue(end, context.draft);
  const isRead = isKept(field) && field.read !== undefined;
  if (typeof example === 'function')
    return value == null && isRead && field.read !== noValue ? undefined : example(value, context.draft);
  if (example !== undefined) return example;
  const name = path.split('.').at(-1) ?? '';
  if (end === 'extra') return plainValue(name, field, context);
  // What is in lists, and what only decides, is stated beside the field or made by hand.
  return isRead || path.includes('[]') ? undefined : inUnit(end, value, field.unit, context);
}

/** The value of an end. What the simulation does not have is a plain number, if the end has a unit. */
function endValue(end: FieldEnd, draft: Draft): unknown {
  const value = valueAt({ ...draft }, end.split('.'));
  const unit = ourUnit(end);
  return value === undefined && unit !== null ? plainNumber(unit) : value;
}

/** A value of an end in the unit of the provider. Undefined: the record has none. */
function inUnit(end: FieldEnd, value: unknown, unit: string | null, context: Context): unknown {
  const [part = ''] = end.split('.');
  if (part === 'score_components') return plainNumber(unit ?? '');
  if (part === 'score') return isItem(value) ? (value.value ?? value.label) : undefined;
  if (typeof value !== 'number') return value ?? undefined;
  if (part === 'start_time' || part === 'end_time') return timeIn(unit, value, context);
  if (part === 'zone_offset' && unit === null) return formatOffset(value);
  if (part === 'zone_offset' && unit === zoneName) return context.draft.zone;
  return withoutNoise(value / factorOf(unit, ourUnit(end)));
}

function ourUnit(end: FieldEnd): string | null {
  const [part = '', name = ''] = end.split('.');
  if (part === 'series') return isSeriesType(name) ? seriesOf(name).unit : null;
  return { duration_seconds: 's', zone_offset: 'minutes' }[part] ?? columnUnit(name);
}

function timeIn(
  unit: string | null,
  ms: number,
  { draft: { zone_offset: zone }, plain: { isUtc } }: Context,
): unknown {
  if (unit === 's') return ms / 1000;
  if (unit === 'ms') return ms;
  if (unit === 'local time') return isoTime(ms + (zone ?? 0) * minuteMs).slice(0, 19);
  return isUtc ? isoTime(ms) : localTime(ms, zone ?? null);
}

function plainValue(name: string, { unit, absentAs }: Field, { draft, plain }: Context): unknown {
  if (unit === 'percent') return Math.min(100, plainNumber(unit) + plain.version);
  if (unit !== null) return plainNumber(unit);
  if (/(_at|time|timestamp)$/i.test(name)) return isoTime(plain.madeMs);
  if (/(date|day)$/i.test(name)) return draft.date;
  if (absentAs !== undefined) return plainNumber('');
  return /id$/i.test(name) ? draft.key : 'example';
}
