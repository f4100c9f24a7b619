import type { Draft } from '../recipe/draft.ts';
import type { DayValues } from '../records/day-values.ts';
import type { DayRecord, EpochRecord, SleepDetails, SleepRecord, WorkoutRecord } from '../records/records.ts';
import type { ScoreKind } from '../records/scores.ts';
import type { SeriesType } from '../records/series.ts';
import type { LapRecord, WorkoutDetails, WorkoutSplit } from '../workouts/details.ts';
import type { StreamType } from '../workouts/track.ts';
import type { CycleRecordData, NutritionData } from './event-data.ts';

type Names<T> = Extract<keyof T, string>;

/**
 * Where a field of a provider ends: a series, a stream, a column of a record, or `extra`. `key` identifies the record,
 * `source` is its device, and the times are those of the record and of its samples.
 */
export type FieldEnd =
  | `series.${SeriesType}`
  | `streams.${StreamType}`
  | `workout.${Names<WorkoutRecord>}`
  | `details.${Names<WorkoutDetails>}`
  | `laps.${Names<LapRecord>}`
  | `splits.${Names<WorkoutSplit>}`
  | `sleep.${Names<SleepRecord> | Names<SleepDetails>}`
  | `day.${Names<DayRecord>}`
  | `day_values.${Names<DayValues>}`
  | `score.${ScoreKind}`
  | `score_components.${ScoreKind}`
  | `epoch.${Names<EpochRecord>}`
  | 'event.data'
  | `nutrition.${Names<NutritionData>}`
  | `cycle_record.${Names<CycleRecordData>}`
  | 'key'
  | 'source'
  | 'start_time'
  | 'end_time'
  | 'duration_seconds'
  | 'date'
  | 'zone_offset'
  | 'extra';

/**
 * Makes the value of a field's ends, in their units, from the value of the field and its item. Null or undefined: there is
 * none.
 */
export type FieldReader = (value: unknown, item: Readonly<Record<string, unknown>>) => unknown;

/**
 * What the simulated provider sends in a field whose value does not follow from its unit and end: a value, or the inverse of a reader.
 * That gets the value of the first end, in our unit, and the whole record.
 */
type Example =
  | ((value: unknown, draft: Draft) => unknown)
  | string
  | number
  | boolean
  | readonly unknown[]
  | Readonly<Record<string, unknown>>;

/**
 * One field of a provider. `unit` is the provider's own, null for texts, flags, ids and times of day. `assumed`: our
 * documentation of the provider does not name the field. `absentAs`: numbers that mean that there is no value. `read`: what a
 * unit cannot say (`read-fields.ts`).
 */
export type Field = {
  readonly unit: string | null;
  readonly assumed?: true;
  readonly absentAs?: readonly number[];
  readonly example?: Example;
} & (
  | { readonly ends: readonly [FieldEnd, ...FieldEnd[]]; readonly read?: FieldReader }
  | { readonly notKept: string }
);

/**
 * All fields of a data type by their paths in an item, such as `samples[].heartRate`. A value that has a field is not
 * described further: what is in it belongs to the field.
 */
export type FieldTable = Readonly<Record<string, Field>>;

/** A field that is kept. */
export const kept = (unit: string | null, ...ends: readonly [FieldEnd, ...FieldEnd[]]): Field => ({
  unit,
  ends,
});

/** A field that is kept, with the function that makes the value of its ends. */
export const computed = (
  read: FieldReader,
  unit: string | null,
  ...ends: readonly [FieldEnd, ...FieldEnd[]]
): Field => ({ unit, ends, read });

/** The same field with an example for the simulated provider. A field with a reader needs one. */
export const like = (example: Example, field: Field): Field => ({ ...field, example });

/** The reader of a field that has no value of its own. */
export const noValue: FieldReader = () => null;

/** A field that is read together with another one: it has no value of its own. */
export const decides = (unit: string | null, ...ends: readonly [FieldEnd, ...FieldEnd[]]): Field =>
  computed(noValue, unit, ...ends);

/** A field that no record has: it is kept by its own name under `extra`. */
export const extra = (unit: string | null = null): Field => kept(unit, 'extra');

/** Fields of several names that are the same. */
export const each = (field: Field, ...names: readonly string[]): FieldTable =>
  Object.fromEntries(names.map((name) => [name, field]));

/** Extra fields without a unit. */
export const extras = (...names: readonly string[]): FieldTable => each(extra(), ...names);

/** A field that is not kept, with the reason. */
export const notKept = (why: string, unit: string | null = null): Field => ({ unit, notKept: why });

/** The same fields, marked as not confirmed by our documentation of the provider. */
export function assumed<T extends FieldTable>(table: T): T {
  return mapped(table, (field) => ({ ...field, assumed: true }));
}

/** The same fields, in which some numbers mean that there is no value. */
export function absentAs<T extends FieldTable>(marks: readonly number[], table: T): T {
  return mapped(table, (field) => ({ ...field, absentAs: marks }));
}

/** Whether a value of a field is the number, maybe as a text (`"0.0"`), by which its provider says that there is none. */
export function isMarkedAbsent({ absentAs: marks }: Field, value: unknown): boolean {
  if (marks === undefined) return false;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && marks.includes(number);
}

/** The same fields within another one. */
export function under(path: string, table: FieldTable): FieldTable {
  return Object.fromEntries(Object.entries(table).map(([name, field]) => [`${path}.${name}`, field]));
}

function mapped<T extends FieldTable>(table: T, change: (field: Field) => Field): T {
  const entries = Object.entries(table).map(([path, field]) => [path, change(field)] as const);
  return Object.assign({ ...table }, Object.fromEntries(entries));
}

/** A table by the names in its paths. */
export interface FieldTree {
  /** Null: only the fields below have a row. */
  readonly field: Field | null;
  readonly below: ReadonlyMap<string, FieldTree>;
}

interface Growing extends FieldTree {
  field: Field | null;
  readonly below: Map<string, Growing>;
}

const trees = new WeakMap<FieldTable, FieldTree>();

/** The tree of a table. Lists have no level of their own. */
export function treeOf(table: FieldTable): FieldTree {
  const tree = trees.get(table) ?? newTree(table);
  trees.set(table, tree);
  return tree;
}

function newTree(table: FieldTable): FieldTree {
  const root: Growing = { field: null, below: new Map() };
  for (const [path, field] of Object.entries(table)) {
    let at = root;
    for (const name of path.replaceAll('[]', '').split('.')) {
      const next = at.below.get(name) ?? { field: null, below: new Map() };
      at.below.set(name, next);
      at = next;
    }
    at.field = field;
  }
  return root;
}

/** Whether a field ends anywhere. */
export function isKept(field: Field): field is Extract<Field, { readonly ends: unknown }> {
  return 'ends' in field;
}

/** Whether a field ends in `extra`. */
export function isExtra(field: Field | null): boolean {
  return field !== null && isKept(field) && field.ends.includes('extra');
}
