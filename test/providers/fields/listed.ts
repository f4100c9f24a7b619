import type { Collection } from '../../../domain/recipe/collection.ts';
import { normaliserOf } from '../../../domain/recipe/record-type.ts';
import { intervalRows, itemRows, readableOf, trackRows } from './readable.ts';
import type { FieldCase } from './removal.ts';

const nowMs = Date.parse('2026-06-01T00:00:00Z');

/** The cases of a provider whose tables are its normalisers: bodies of each collection. */
export function listedCases<N extends string>(
  collections: Readonly<Record<N, Collection>>,
  bodies: Readonly<Record<N, readonly object[]>>,
): Readonly<Record<string, FieldCase>> {
  return Object.fromEntries(
    Object.entries<Collection>(collections).map(([name, collection]): [string, FieldCase] => {
      const normalise = normaliserOf(name, collection);
      const read = (item: unknown) => {
        const made = normalise({ records: { list: [item] }, span: null, nowMs });
        const { intervals = [], sources = [] } = made.intervals ?? {};
        const tracks = [...(made.tracks?.values() ?? [])].flatMap(trackRows);
        return readableOf([...made.items.flatMap(itemRows), ...tracks, ...intervalRows(intervals, sources)]);
      };
      const all: Readonly<Record<string, readonly object[]>> = bodies;
      return [name, { table: collection.fields, items: all[name] ?? [], read }];
    }),
  );
}
