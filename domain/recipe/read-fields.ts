import { z } from 'zod';
import { withoutNoise } from '../json/decimals.ts';
import {
  type Field,
  type FieldEnd,
  type FieldReader,
  type FieldTable,
  isKept,
  isMarkedAbsent,
  noValue,
} from '../provider/field-table.ts';
import { isScoreOf, mostScoreComponents, ScoreKind } from '../records/scores.ts';
import { isSeriesType, seriesOf } from '../records/series.ts';
import { CalendarDate, parseInstant } from '../time/time.ts';
import { isTimeZone } from '../time/zone.ts';
import { type Draft, partSchemas } from './draft.ts';
import { withOffsetOfZone } from './offset-of-zone.ts';
import { columnUnit, factorOf, rangeOf } from './units.ts';

/** An item of a provider. */
export type Item = Readonly<Record<string, unknown>>;

/** Whether a value is an object that is no list. */
export function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of an item at a path. */
export function valueAt(item: Item, path: readonly string[]): unknown {
  let value: unknown = item;
  for (const name of path) value = isItem(value) ? value[name] : undefined;
  return value;
}

/** The parts and fields of a draft while they are collected. */
interface Raw {
  readonly fields: Record<string, unknown>;
  readonly parts: Record<string, Record<string, unknown>>;
}

interface Step {
  readonly path: readonly string[];
  readonly field: Field;
  readonly read: FieldReader | undefined;
  readonly puts: readonly ((value: unknown, into: Raw) => void)[];
}

const compiled = new WeakMap<FieldTable, readonly Step[]>();

/**
 * What an item says by its table. Of several fields with one end, the first in the table that has a value counts. An unusable
 * value counts as absent: one bad value does not cost the whole record.
 */
export function readFields(table: FieldTable, item: Item): Draft {
  const { fields, parts } = collected(table, item);
  return withOffsetOfZone(Object.assign(fields, parts));
}

/** The values of one part of a record, such as `laps`, by the table of an element of a list. */
export const readPart = (table: FieldTable, item: Item, part: string): Readonly<Record<string, unknown>> =>
  collected(table, item).parts[part] ?? {};

function collected(table: FieldTable, item: Item): Raw {
  const into: Raw = { fields: {}, parts: {} };
  for (const { path, field, read, puts } of stepsOf(table)) {
    const value = valueAt(item, path);
    if (value === undefined || value === null || isMarkedAbsent(field, value)) continue;
    const made = read === undefined ? value : read(value, item);
    if (made !== undefined && made !== null) for (const put of puts) put(made, into);
  }
  return into;
}

/** Compiles a table, so that a wrong unit is found when the process starts. */
export function stepsOf(table: FieldTable): readonly Step[] {
  const known = compiled.get(table);
  if (known !== undefined) return known;
  const steps = Object.entries(table).flatMap(([path, field]): Step[] => {
    // What is in lists, and tracks, are made by `complete`.
    if (!isKept(field) || path.includes('[]') || field.read === noValue) return [];
    const ends = field.ends.filter((end) => end !== 'extra' && !end.startsWith('streams.'));
    if (ends.length === 0) return [];
    const unit = field.read === undefined ? field.unit : null;
    const names = path.split('.');
    const puts = ends.map((end) => putting(end, unit, names.at(-1) ?? ''));
    return [{ path: names, field, read: field.read, puts }];
  });
  compiled.set(table, steps);
  return steps;
}

function putting(end: FieldEnd, unit: string | null, own: string): Step['puts'][number] {
  const [part = '', name] = end.split('.');
  if (name === undefined) return puttingField(part, unit);
  if (part === 'series') return puttingSeries(name, unit);
  if (part === 'score') return puttingScore(name);
  if (part === 'score_components') return puttingComponents(name, own);
  const read = columnReader(part, name, unit);
  return (value, { parts }) => {
    parts[part] ??= {};
    const made = parts[part][name] === undefined ? read(value) : null;
    if (made !== null) parts[part][name] = made;
  };
}

// Lists of points keep their times. They are checked when the samples are made.
function puttingSeries(name: string, unit: string | null): Step['puts'][number] {
  if (!isSeriesType(name)) throw new Error(`no series ${name}`);
  const factor = factorOf(unit, seriesOf(name).unit);
  return (value, { parts }) => {
    const number = numberOf(value);
    if (number === null && (!Array.isArray(value) || value.length === 0)) return;
    parts.series ??= {};
    parts.series[name] ??= number === null ? value : withoutNoise(number * factor);
  };
}

// A score may have a number, a word, or both: two fields then have this end.
function puttingScore(name: string): Step['puts'][number] {
  const kind = ScoreKind.parse(name);
  return (value, { parts }) => {
    const number = numberOf(value);
    const made =
      number === null
        ? { label: textOf(value)?.slice(0, 60) }
        : isScoreOf(kind, number)
          ? { value: number }
          : {};
    parts.score ??= {};
    parts.score[kind] = { ...made, ...Object(parts.score[kind]) };
  };
}

// An object has several components; another value is one, by the field's own name.
function puttingComponents(name: string, own: string): Step['puts'][number] {
  const kind = ScoreKind.parse(name);
  return (value, { parts }) => {
    const given = isItem(value) ? value : { [own]: value };
    const made = Object.entries(given).flatMap(([part, one]) => {
      const component =
        typeof one === 'boolean' ? String(one) : (numberOf(one) ?? textOf(one)?.slice(0, 200));
      return part.length > 60 || component == null ? [] : [[part, component] as const];
    });
    parts.score_components ??= {};
    const all = { ...Object(parts.score_components[kind]), ...Object.fromEntries(made) };
    parts.score_components[kind] = Object.fromEntries(Object.entries(all).slice(0, mostScoreComponents));
  };
}

/** A number, also one that is sent as a text. Null: it is none. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return null;
  return value.replaceAll('\0', '').trim().toWellFormed() || null;
}

type Column = (value: unknown) => unknown;

// The kind of a column follows from its schema.
function columnReader(part: string, name: string, unit: string | null): Column {
  const schema = schemaOf(part, name);
  const accepts = (value: unknown) => schema.safeParse(value).success;
  if (accepts(true)) return (value) => (typeof value === 'boolean' ? value : null);
  if (accepts(0.5) || accepts(1)) {
    const [factor, isWhole] = [factorOf(unit, columnUnit(name)), !accepts(0.5)];
    const [bounds, range] = [boundsOf(schema), rangeOf(name)];
    const [least, most] = [Math.max(bounds[0], range[0]), Math.min(bounds[1], range[1])];
    return (value) => {
      const number = numberOf(value);
      if (number === null) return null;
      const made = isWhole ? Math.round(number * factor) : withoutNoise(number * factor);
      return made >= least && made <= most ? made : null;
    };
  }
  const longest = [5000, 500, 300, 200, 100].find((length) => accepts('x'.repeat(length))) ?? 60;
  return (value) => {
    const made = typeof value === 'string' ? textOf(value)?.slice(0, longest) : value;
    return accepts(made) ? made : null;
  };
}

const Bounds = z.looseObject({ minimum: z.number().optional(), maximum: z.number().optional() });

/** The bounds of the numbers that a schema accepts, also of one that accepts null. */
function boundsOf(schema: z.ZodType): readonly [least: number, most: number] {
  const { anyOf = [], ...own } = z.toJSONSchema(schema, { io: 'input' });
  const { minimum = -Number.MAX_VALUE, maximum = Number.MAX_VALUE } =
    [own, ...anyOf]
      .map((one) => Bounds.parse(one))
      .find(({ minimum, maximum }) => minimum !== undefined || maximum !== undefined) ?? {};
  return [minimum, maximum];
}

/** The schema of a column of a record. @throws Error if there is no such column: a table states a wrong end */
export function schemaOf(part: string, name: string): z.ZodType {
  const shapes: Readonly<Record<string, z.ZodObject>> = partSchemas;
  const schema = shapes[part]?.shape[name];
  if (schema === undefined) throw new Error(`no record has ${part}.${name}`);
  return schema;
}

interface ReadTime {
  readonly ms: number;
  readonly offset?: number;
  readonly isLocal?: true;
}

const times: Readonly<Record<string, (value: unknown) => ReadTime | null>> = {
  'ISO 8601': instantWithOffset,
  'local time': (value) => {
    const ms =
      typeof value === 'string' ? Date.parse(`${value.replace(/(Z|[+-]\d\d:?\d\d)$/, '')}Z`) : Number.NaN;
    return Number.isNaN(ms) ? null : { ms, isLocal: true };
  },
  s: (value) => ofNumber(value, 1000),
  ms: (value) => ofNumber(value, 1),
};

function ofNumber(value: unknown, factor: number): ReadTime | null {
  const number = numberOf(value);
  return number === null ? null : { ms: Math.round(number * factor) };
}

/** An instant of ISO 8601, with the offset that it names; `Z` names none, because providers also write it where they mean UTC. */
export function instantWithOffset(value: unknown): { readonly ms: number; readonly offset?: number } | null {
  const instant = typeof value === 'string' ? parseInstant(value) : null;
  if (instant === null || typeof value !== 'string' || instant.dateOnly) return null;
  const [, zone] = /([+-]\d\d:?\d\d)$/.exec(value.trim()) ?? [];
  const offset = offsetMinutes(zone);
  return offset === null ? { ms: instant.ms } : { ms: instant.ms, offset };
}

/** The minutes of an offset: `+02:00`, `-0500`. Null: it is none. */
function offsetMinutes(value: unknown): number | null {
  const [, sign, hours, minutes] =
    /^([+-])(\d\d):?(\d\d)$/.exec(typeof value === 'string' ? value.trim() : '') ?? [];
  if (hours === undefined || minutes === undefined) return null;
  const made = Number(hours) * 60 + Number(minutes);
  return made > 1080 ? null : sign === '-' ? -made : made;
}

/** The unit of a field that names a time zone: the offset is that of the zone at the start. */
export const zoneName = 'IANA';

function puttingField(name: string, unit: string | null): Step['puts'][number] {
  if (name === 'zone_offset' && unit === zoneName) return puttingZone;
  if (name === 'start_time' || name === 'end_time') return puttingTime(name, times[unit ?? 'ISO 8601']);
  const read = fieldReaders[name];
  if (read === undefined) throw new Error(`${name} is made by no recipe`);
  return (value, { fields }) => {
    const made = fields[name] === undefined ? read(value, unit) : null;
    if (made !== null) fields[name] = made;
  };
}

// The table may name the start behind the zone, and `complete` may make it.
const puttingZone: Step['puts'][number] = (value, { fields }) => {
  if (typeof value === 'string' && isTimeZone(value)) fields.zone ??= value;
};

// The offset of the start is that of the record.
function puttingTime(name: string, read: (typeof times)[string] | undefined): Step['puts'][number] {
  if (read === undefined) throw new Error(`${name} has no such unit`);
  return (value, { fields }) => {
    const time =
      fields[name] === undefined
        ? typeof value === 'number' && read === instantWithOffset
          ? ofNumber(value, 1)
          : read(value)
        : null;
    if (time === null) return;
    fields[name] = time.ms;
    if ('isLocal' in time) fields.isLocal = true;
    else if (time.offset !== undefined) fields.zone_offset ??= time.offset;
  };
}

const fieldReaders: Readonly<Record<string, (value: unknown, unit: string | null) => unknown>> = {
  key: textOf,
  source: (value) => textOf(value)?.slice(0, 100) ?? null,
  date: (value) => CalendarDate.safeParse(value).data ?? null,
  duration_seconds: (value, unit) => {
    const number = numberOf(value);
    return number === null || number < 0 ? null : Math.round(number * factorOf(unit, 's'));
  },
  zone_offset: (value, unit) => {
    if (typeof value !== 'number') return value === 'Z' ? 0 : offsetMinutes(value);
    const minutes = Math.round(value * factorOf(unit, 'minutes'));
    return Math.abs(minutes) <= 1080 ? minutes : null;
  },
};
