import type { RecordFiles } from '../../../domain/provider/record-file.ts';
import type { Collection } from '../../../domain/recipe/collection.ts';
import { fileAddress } from '../../../domain/recipe/file-parts.ts';
import { normaliserOf } from '../../../domain/recipe/record-type.ts';
import { fitContent } from '../../../services/pull-ingest/rules/fit-content.ts';
import { fitRide } from '../../fixtures/record-file.ts';
import { intervalRows, itemRows, readableOf, trackRows } from './readable.ts';
import type { FieldCase } from './removal.ts';

const rideMs = Date.parse('2026-03-01T08:00:00Z');
const nowMs = Date.parse('2026-06-01T00:00:00Z');

/** The cases of a provider whose tables are its normalisers: bodies of each collection. */
export function listedCases<N extends string>(
  collections: Readonly<Record<N, Collection>>,
  bodies: Readonly<Record<N, readonly object[]>>,
): Readonly<Record<string, FieldCase>> {
  return Object.fromEntries(
    Object.entries<Collection>(collections).map(([name, collection]): [string, FieldCase] => {
      const normalise = normaliserOf(name, collection);
      const all: Readonly<Record<string, readonly object[]>> = bodies;
      const files = filesOf(collection, all[name]);
      const read = (item: unknown) => {
        const made = normalise({ records: { list: [item] }, span: null, nowMs, files });
        const { intervals = [], sources = [] } = made.intervals ?? {};
        const tracks = [...(made.tracks?.values() ?? [])].flatMap(trackRows);
        return readableOf([...made.items.flatMap(itemRows), ...tracks, ...intervalRows(intervals, sources)]);
      };
      return [name, { table: collection.fields, items: all[name] ?? [], read }];
    }),
  );
}

/** The same file at the addresses that bodies name. */
function filesOf({ file }: Collection, items: readonly object[] = []): RecordFiles {
  const addresses = file === undefined ? [] : items.flatMap((item) => fileAddress(file, item) ?? []);
  return new Map(addresses.map((address) => [address, fitContent(fitRide(rideMs), nowMs)]));
}
