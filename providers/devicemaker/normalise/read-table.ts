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
import { schemaOf } from '../../../domain/recipe/read-fields.ts';
import { columnUnit, factorOf } from '../../../domain/recipe/units.ts';
import { isSeriesType, type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import { type Check, dateOf, flagOf, idOf, mapOf, numberIn, secondsOf, textOf, Unusable } from './checks.ts';
import type { Problem } from './item.ts';
import { durations, offsets, rangeOf, seriesRange } from './ranges.ts';

/** A value of a series, or values by seconds after the start. */
export interface Reading {
  readonly type: SeriesType;
  readonly field: string;
  readonly value: unknown;
}

/** What the fields of an item say, and which of them were left out. */
export interface ReadFields {
  readonly draft: Draft;
  readonly readings: readonly Reading[];
  readonly problems: readonly Problem[];
}

interface Found {
  readonly fields: Record<string, unknown>;
  readonly parts: Record<string, Record<string, unknown>>;
  readonly readings: Reading[];
}

interface Step {
  readonly name: string;
  readonly read: FieldReader | undefined;
  readonly check: Check;
  readonly puts: readonly ((value: unknown, found: Found) => void)[];
}

const sentMap: FieldReader = (map) => map;

/** A map from seconds after the start to values of a series. */
export const byOffset = (unit: string, ...ends: readonly [FieldEnd, ...FieldEnd[]]): Field =>
  computed(sentMap, unit, ...ends);

/**
 * Reads the fields of an item by their table. Of several fields with one end the first that has a value counts. An unusable value is
 * left out and reported. Of several ends in one part of a record, such as two series, the first is read: the others are computed.
 */
export function readTable(table: FieldTable, item: Readonly<Record<string, unknown>>): ReadFields {
  const found: Found = { fields: {}, parts: {}, readings: [] };
  const problems: Problem[] = [];
  for (const { name, read, check, puts } of stepsOf(table)) {
    const sent = item[name] ?? null;
    const given = sent === null || read === undefined ? sent : (read(sent, item) ?? null);
    const value = given === null ? null : check(given);
    if (value instanceof Unusable) problems.push(value.problemOf(name));
    else if (value !== null) for (const put of puts) put(value, found);
  }
  return { draft: Object.assign(found.fields, found.parts), readings: found.readings, problems };
}

const compiled = new WeakMap<FieldTable, readonly Step[]>();

/** Compiles a table, so that a wrong unit is found when the process starts. */
export function stepsOf(table: FieldTable): readonly Step[] {
  const known = compiled.get(table);
  if (known !== undefined) return known;
  const steps = Object.entries(table).flatMap(([name, field]): Step[] => {
    // What is in lists and objects is made by functions.
    if (!isKept(field) || /[.[]/.test(name) || field.read === noValue || !isRead(field.ends[0])) return [];
    const [first] = field.ends;
    const isMap = field.read === sentMap;
    const parts = Map.groupBy(
      field.ends.filter((end) => end.includes('.') && isRead(end)),
      partOf,
    );
    const ends =
      isMap || !first.includes('.') ? [first] : [...parts.values()].flatMap(([end = first]) => end);
    const check = isMap ? mapOf : checkOf(field.unit, first);
    return [{ name, read: field.read, check, puts: ends.map((end) => putting(end, name)) }];
  });
  compiled.set(table, steps);
  return steps;
}

const partOf = (end: string) => end.split('.')[0];
const readEnds =
  /^(key|source|start_time|date|zone_offset|duration_seconds|(series|workout|details|sleep|day|day_values)\..*)$/;
const isRead = (end: string) => readEnds.test(end);

function checkOf(unit: string | null, end: string): Check {
  const [part = '', column] = end.split('.');
  if (column === undefined) return checks[part] ?? textOf(100);
  if (!isSeriesType(column) || part !== 'series') return columnCheck(part, column, unit);
  const factor = factorOf(unit, seriesOf(column).unit);
  return numberIn(seriesRange(column, factor), factor);
}

const checks: Readonly<Record<string, Check>> = {
  ...{ key: idOf, date: dateOf, start_time: secondsOf },
  zone_offset: numberIn(offsets, 1 / 60, true),
  duration_seconds: numberIn(durations, 1, true),
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

function putting(end: string, field: string): Step['puts'][number] {
  const [part = '', column] = end.split('.');
  if (column === undefined)
    return (value, { fields }) => {
      fields[part] ??= value;
    };
  if (part === 'series' && isSeriesType(column))
    return (value, { readings }) => {
      readings.push({ type: column, field, value });
    };
  return (value, { parts }) => {
    parts[part] ??= {};
    parts[part][column] ??= value;
  };
}

/** The fields of a table that are read as samples. */
export function seriesFields(table: FieldTable): string[] {
  const found: Found = { fields: {}, parts: {}, readings: [] };
  for (const { puts } of stepsOf(table)) for (const put of puts) put(0, found);
  return found.readings.map(({ field }) => field);
}
