import {
  type Field,
  type FieldTable,
  type FieldTree,
  isKept,
  treeOf,
} from '../../../domain/provider/field-table.ts';
import type { Readable } from './readable.ts';

/** Items of one data type, and how they are read. The same field may be in several items. */
export interface FieldCase {
  readonly table: FieldTable;
  readonly items: readonly object[];
  readonly read: (item: unknown) => Readable;
}

/** What is wrong with a table: each field of each item is removed in turn, and what can be read then is compared. */
export function faultsOf({ table, items, read }: FieldCase): string[] {
  const tree = treeOf(table);
  const found = items.map((item) => ({ item, whole: read(item), paths: new Set(pathsOf(item, tree)) }));
  const known = new Set(Object.keys(table));
  const all = new Set(found.flatMap(({ paths }) => [...paths]));
  return [
    ...[...all].filter((path) => !known.has(path)).map((path) => `${path} is not in the table`),
    ...[...known].filter((path) => !all.has(path)).map((path) => `${path} is in no item`),
    ...found.filter(({ whole }) => whole.size === 0).map((_, index) => `item ${index} cannot be read`),
    ...Object.entries(table).flatMap(([path, field]) => {
      const own = found.filter(({ paths }) => paths.has(path));
      const changed = own.map(({ item, whole }) => changedEnds(item, path, whole, read));
      return faultOf(path, field, changed);
    }),
  ];
}

/** The paths of fields of items that a table does not list. */
function unlistedPaths({ table, items }: Pick<FieldCase, 'table' | 'items'>): string[] {
  const tree = treeOf(table);
  const all = new Set(items.flatMap((item) => pathsOf(item, tree)));
  return [...all].filter((path) => !Object.hasOwn(table, path));
}

/** The faults of items that have some of a table's fields. A null is as good as no field. */
export function faultsInPart({ table, items, read }: FieldCase): string[] {
  const given = items.map(withoutNulls).filter(isObject);
  const found = new Set(given.flatMap((item) => pathsOf(item, treeOf(table))));
  const part = Object.fromEntries(Object.entries(table).filter(([path]) => found.has(path)));
  const differing = items.filter((item) => differences(read(item), read(withoutNulls(item))).size > 0);
  return [
    ...unlistedPaths({ table, items }).map((path) => `${path} is not in the table`),
    ...(differing.length === 0 ? [] : ['a null is not read as no field']),
    ...faultsOf({ table: part, items: given, read }).filter(
      (fault) => !fault.endsWith('is not in the table'),
    ),
  ];
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(entries.map(([name, one]) => [name, withoutNulls(one)]));
}

function faultOf(path: string, field: Field, changed: readonly ReadonlySet<string>[]): string[] {
  if (!isKept(field)) {
    const ends = [...new Set(changed.flatMap((one) => [...one]))];
    return ends.length === 0 ? [] : [`${path} is not kept, and changes ${ends.join(', ')}`];
  }
  const missed = field.ends.filter((end) => !changed.some((one) => one.has(end)));
  return changed.length === 0 || missed.length === 0 ? [] : [`${path} does not change ${missed.join(', ')}`];
}

// A field is also given another value: without it an item may be invalid, or the same value may follow from other fields.
function changedEnds(item: object, path: string, whole: Readable, read: FieldCase['read']): Set<string> {
  const names = path.replaceAll('[]', '').split('.');
  const without = read(edited(item, names, () => undefined));
  const other = read(edited(item, names, otherValue));
  const made = [without, other].filter(({ size }) => size > 0);
  return new Set((made.length === 0 ? [without] : made).flatMap((one) => [...differences(whole, one)]));
}

function otherValue(value: unknown): unknown {
  if (typeof value === 'number') return value + 60;
  if (typeof value === 'boolean') return !value;
  if (typeof value !== 'string') return undefined;
  return /^\d{4}-\d\d-\d\d/.test(value) ? value.replace(/^\d{4}-\d\d-\d\d/, '2025-05-31') : `${value} 2`;
}

function differences(a: Readable, b: Readable): Set<string> {
  const ends = new Set([...a.keys(), ...b.keys()]);
  return new Set([...ends].filter((end) => a.get(end) !== b.get(end)));
}

function edited(value: unknown, names: readonly string[], edit: (value: unknown) => unknown): unknown {
  const [name, ...rest] = names;
  if (name === undefined) return edit(value);
  if (Array.isArray(value)) return value.map((one) => edited(one, names, edit));
  if (!isObject(value) || !Object.hasOwn(value, name)) return value;
  const next = edited(value[name], rest, edit);
  const { [name]: _, ...others } = value;
  return next === undefined ? others : { ...others, [name]: next };
}

function pathsOf(value: unknown, tree: FieldTree | undefined, path = ''): string[] {
  if (value === undefined) return [];
  if (tree?.field != null) return [path];
  if (Array.isArray(value) && tree !== undefined)
    return value.flatMap((one) => pathsOf(one, tree, `${path}[]`));
  if (!isObject(value) || tree === undefined) return [path];
  return Object.entries(value).flatMap(([name, one]) =>
    pathsOf(one, tree.below.get(name), path === '' ? name : `${path}.${name}`),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
