import type { FieldTable } from '../../../domain/provider/field-table.ts';
import { isObject, type Normaliser } from './item.ts';

/** One of our fields and its names at senders. The first name present is used. */
export type Spellings = Readonly<Record<string, readonly [string, ...string[]]>>;

/** Reads an item under any of its spellings. Problems name the fields as they were sent. */
export function named(spellings: Spellings, normalise: Normaliser): Normaliser {
  return (item, nowMs) => {
    if (!isObject(item)) return normalise(item, nowMs);
    const sent = Object.entries(spellings).map(([field, names]) => ({
      field,
      names,
      name: sentAs(item, names),
    }));
    const result = normalise(renamed(item, sent), nowMs);
    const nameOf = new Map(sent.map(({ field, name }) => [field, name]));
    const problems = result.problems.map(({ field, ...rest }) => ({
      field: nameOf.get(field) ?? field,
      ...rest,
    }));
    return { ...result, problems };
  };
}

function sentAs(item: Readonly<Record<string, unknown>>, names: Spellings[string]): string {
  return names.find((name) => (item[name] ?? null) !== null) ?? names[0];
}

interface Sent {
  readonly field: string;
  readonly names: readonly string[];
  readonly name: string;
}

// Unused spellings are removed too, so that the same content has the same hash under every spelling.
function renamed(item: Readonly<Record<string, unknown>>, sent: readonly Sent[]): Record<string, unknown> {
  const taken = new Set(sent.flatMap(({ field, names }) => [field, ...names]));
  const rest = Object.entries(item).filter(([name]) => !taken.has(name));
  const given = sent
    .filter(({ name }) => Object.hasOwn(item, name))
    .map(({ field, name }) => [field, item[name]]);
  return Object.fromEntries([...rest, ...given]);
}

/** A table with one row for all spellings of a field, under our name of it. */
export function underOwnNames(table: FieldTable, spellings: Spellings): FieldTable {
  const own = new Map(
    Object.entries(spellings).flatMap(([field, names]) => names.map((name) => [name, field] as const)),
  );
  return Object.fromEntries(Object.entries(table).map(([name, field]) => [own.get(name) ?? name, field]));
}
