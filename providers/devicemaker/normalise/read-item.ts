import {
  computed,
  type Field,
  type FieldEnd,
  type FieldReader,
  type FieldTable,
  isKept,
  noValue,
} from '../../../domain/provider/field-table.ts';
import type { Draft } from '../../../domain/recipe/draft.ts';
import type { Made } from '../../../domain/recipe/made.ts';
import { type Item, schemaOf } from '../../../domain/recipe/read-fields.ts';
import { columnUnit, factorOf } from '../../../domain/recipe/units.ts';
import type { StoreItem } from '../../../domain/records/records.ts';
import { isSeriesType, seriesOf } from '../../../domain/records/series.ts';
import { noonOf } from '../../../domain/time/time.ts';
import {
  type Check,
  dateOf,
  fieldReader,
  flagOf,
  idOf,
  mapOf,
  numberIn,
  offsetOf,
  secondsOf,
  textOf,
} from './checks.ts';
import { contentHash } from './content-hash.ts';
import { instantMs, instantReason, type Problem, type Refused, refused } from './item.ts';
import { rangeOf, seriesRange } from './ranges.ts';
import type { Reading } from './samples.ts';

/** An item that can be placed in time: what its fields say, and which of them were left out. */
export interface ReadItem extends Made {
  readonly ok: true;
  readonly nowMs: number;
  readonly readings: readonly Reading[];
  readonly problems: readonly Problem[];
  /** What the item becomes beside its draft and its readings. */
  readonly parts?: Partial<StoreItem>;
}

interface Step {
  readonly name: string;
  readonly read: FieldReader | undefined;
  readonly check: Check;
  /** The parts of a record that get the value, and the column in each. */
  readonly ends: readonly (readonly [part: string, column: string | undefined])[];
}

/** A table as it is read: its fields in order, the one that places the item in time, and others that are needed. */
export interface CompiledTable {
  readonly steps: readonly Step[];
  readonly start: { readonly name: string; readonly isDay: boolean; readonly isKey: boolean };
  readonly needed: readonly string[];
}

/** What a table does not say of how it is read. */
export interface TableRules {
  /** A field without which an item is rejected, beside its start. */
  readonly needed?: string;
  /** The checks of fields that `complete` reads: what is unusable of them is reported with the table. */
  readonly checks?: Readonly<Record<string, Check>>;
}

const sentMap: FieldReader = (map) => map;

/** A map from seconds after the start to values of a series. */
export const byOffset = (unit: string, ...ends: readonly [FieldEnd, ...FieldEnd[]]): Field =>
  computed(sentMap, unit, ...ends);

/** Compiles a table when the process starts, so that a wrong unit is found then. */
export function compiled(table: FieldTable, { needed, checks = {} }: TableRules): CompiledTable {
  const starts = Object.entries(table).flatMap(([name, field]) =>
    isKept(field) && field.ends.includes('start_time') ? [{ name, ends: field.ends }] : [],
  );
  const { name, ends } = starts[0] ?? { name: '', ends: ['start_time'] };
  const start = { name, isDay: ends[0] === 'date', isKey: ends.includes('key') };
  const others = Object.entries(checks).map(([name, check]) => ({ name, read: undefined, check, ends: [] }));
  const steps = [...stepsOf(table), ...others];
  return { steps, start, needed: needed === undefined ? [name] : [name, needed] };
}

const readEnds =
  /^(key|source|start_time|date|zone_offset|duration_seconds|(series|workout|details|sleep|day|day_values|epoch)\..*)$/;
const partOf = (end: string) => end.split('.')[0] ?? '';

function stepsOf(table: FieldTable): Step[] {
  return Object.entries(table).flatMap(([name, field]): Step[] => {
    // What is in lists and objects is read by functions.
    if (!isKept(field) || /[.[]/.test(name) || field.read === noValue || !readEnds.test(field.ends[0]))
      return [];
    const [first] = field.ends;
    const isAlone = field.read === sentMap || !first.includes('.');
    const ends = isAlone ? [first] : field.ends.filter(isFirstOfPart);
    const check = field.read === sentMap ? mapOf : checkOf(field.unit, first);
    return [{ name, read: field.read, check, ends: ends.map((end) => [partOf(end), end.split('.')[1]]) }];
  });
}

// Of several ends in one part of a record, such as two series, the others are computed.
const isFirstOfPart = (end: string, at: number, ends: readonly string[]): boolean =>
  end.includes('.') && readEnds.test(end) && ends.findIndex((one) => partOf(one) === partOf(end)) === at;

function checkOf(unit: string | null, end: string): Check {
  const [part = '', column] = end.split('.');
  if (column === undefined) return fieldChecks[part] ?? textOf(100);
  if (part !== 'series' || !isSeriesType(column)) return columnCheck(part, column, unit);
  const factor = factorOf(unit, seriesOf(column).unit);
  return numberIn(seriesRange(column, factor), factor);
}

const fieldChecks: Readonly<Record<string, Check>> = {
  key: idOf,
  date: dateOf,
  start_time: secondsOf,
  zone_offset: offsetOf,
  duration_seconds: numberIn(rangeOf('', '', 's'), 1, true),
};

// The kind of a column follows from its schema.
function columnCheck(part: string, column: string, unit: string | null): Check {
  const schema = schemaOf(part, column);
  const accepts = (value: unknown) => schema.safeParse(value).success;
  if (accepts(true)) return flagOf;
  if (accepts(1))
    return numberIn(
      rangeOf(part, column, unit ?? 'count'),
      factorOf(unit, columnUnit(column)),
      !accepts(0.5),
    );
  if (column === 'parent_id') return idOf;
  return textOf([5000, 500, 100].find((length) => accepts('x'.repeat(length))) ?? 60);
}

/** The names of the fields that are read as samples. */
export function seriesFields({ steps }: CompiledTable): string[] {
  return steps.filter(({ ends }) => ends.some(([part]) => part === 'series')).map(({ name }) => name);
}

/** Reads fields. Of several with one end the first that has a value counts. An unusable value is left out and reported. */
function readSteps({ steps, needed }: CompiledTable, item: Item) {
  const [fields, parts]: [Record<string, unknown>, Record<string, Record<string, unknown>>] = [{}, {}];
  const [readings, problems]: [Reading[], Problem[]] = [[], []];
  const field = fieldReader(item, problems);
  for (const { name, read, check, ends } of steps) {
    const value = field(
      name,
      read === undefined ? check : (sent) => checked(check, read(sent, item)),
      needed.includes(name),
    );
    if (value === null) continue;
    for (const [part, column] of ends) {
      if (column === undefined) fields[part] ??= value;
      else if (part === 'series' && isSeriesType(column)) readings.push({ type: column, field: name, value });
      else {
        parts[part] ??= {};
        parts[part][column] ??= value;
      }
    }
  }
  const draft: Draft = Object.assign(fields, parts);
  return { draft, readings, problems };
}

const checked = (check: Check, value: unknown) => (value == null ? null : check(value));

/**
 * Reads an item by its table, and rejects one without a valid start, or that is nested too deep. The start of an item that only has
 * a day is 12:00 UTC of the day.
 */
export function readItem(table: CompiledTable, item: Item, nowMs: number): ReadItem | Refused {
  const { start, needed } = table;
  const { draft, readings, problems } = readSteps(table, item);
  const { date, start_time, zone_offset: offset = null, source: device = 'unknown' } = draft;
  const seconds = start.isDay && date !== undefined ? noonOf(date) / 1000 : start_time;
  const startMs = instantMs(seconds, nowMs);
  const lost = problems.filter(({ field }) => needed.includes(field));
  if (startMs === null && seconds !== undefined) {
    const unsent = lost.filter(({ field }) => (item[field] ?? null) === null);
    return { ok: false, problems: [{ field: start.name, reason: instantReason }, ...unsent] };
  }
  if (startMs === null || lost.length > 0) return { ok: false, problems };
  const hash = contentHash(start.isDay ? { ...item, startTimeInSeconds: seconds } : item);
  if (hash === null) return refused('', 'is nested too deeply');
  const key = start.isKey ? { key: String(start.isDay ? date : seconds) } : {};
  const placed = { startMs, endMs: startMs, offset, device, nowMs, hash };
  return {
    ok: true,
    item,
    pass: '',
    draft: { ...draft, start_time: startMs, ...key },
    readings,
    problems,
    ...placed,
  };
}
