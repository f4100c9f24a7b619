import type { FieldTable } from '../provider/field-table.ts';
import type { PulledType } from '../provider/pulled-provider.ts';
import { dayMs, hourMs } from '../time/time.ts';
import { type ListRead, listPass } from './list-pass.ts';
import { type Item, isItem } from './read-fields.ts';
import { normaliserOf, type RecordType, replacedBy } from './record-type.ts';

/** A kind of data of a provider that lists it: how it is read, and what its records become. */
export interface Collection extends RecordType {
  readonly read: ListRead;
  /** The scopes of which one is needed; empty: any will do. */
  readonly scopes: readonly string[];
  readonly longestSpanDays: number;
  /** A notification that names no time leads to a read of the last days. */
  readonly recentDays: number;
  /** Once a day the last days are read, which repairs lost notifications and deletions. Omitted: `polls` do that. */
  readonly sweepDays?: number;
  /** More frequent reads of the last days, for data without notifications. */
  readonly polls?: readonly Poll[];
  /** Spans are of whole UTC days. */
  readonly wholeDays?: boolean;
  /** The provider shows so many days. */
  readonly shownDays?: number;
  readonly listsSinceConnection?: boolean;
  readonly hasLocalTimes?: true;
  /** The name of the provider of ours from which a record came, at a provider that repeats what others have. Null: none of ours. */
  readonly origin?: (item: Item) => string | null;
}

/** Every so many hours, the last days are read. */
interface Poll {
  readonly everyHours: number;
  readonly days: number;
}

/** The store deletes samples with their workout only for items of this type. */
const ownersOfSamples = 'activities';

/** A collection as a type that pull-ingest reads. @throws Error if its samples would stay without their workouts */
function pulledCollection(name: string, collection: Collection): PulledType {
  if ((collection.ownsSamples === true || collection.file !== undefined) && name !== ownersOfSamples)
    throw new Error(`${name} has samples of its workouts: it has to be named ${ownersOfSamples}`);
  const {
    read,
    scopes,
    longestSpanDays,
    recentDays,
    sweepDays,
    polls = [],
    wholeDays: isOfDays = true,
  } = collection;
  const { shownDays, listsSinceConnection = false, hasLocalTimes = false, file, origin } = collection;
  return {
    isGranted: (granted) => scopes.length === 0 || scopes.some((scope) => granted.includes(scope)),
    follows: 'spans',
    passes: { list: listPass(read) },
    longestSpanMs: longestSpanDays * dayMs,
    recentMs: recentDays * dayMs,
    sweeps: [
      ...polls.map(({ everyHours, days }) => ({ everyMs: everyHours * hourMs, days })),
      ...(sweepDays === undefined ? [] : [{ everyMs: dayMs, days: sweepDays }]),
    ],
    replaces: replacedBy(collection),
    normalise: normaliserOf(name, collection),
    ...(isOfDays ? { widen: wholeDays } : {}),
    ...(file === undefined ? {} : { file }),
    ...(shownDays === undefined ? {} : { oldestMs: shownDays * dayMs }),
    ...(origin === undefined
      ? {}
      : { origin: (record: unknown) => (isItem(record) ? origin(record) : null) }),
    listsSinceConnection,
    hasLocalTimes,
  };
}

/** All collections of a provider. */
export function pulledCollections(
  all: Readonly<Record<string, Collection>>,
): Readonly<Record<string, PulledType>> {
  return Object.fromEntries(Object.entries(all).map(([name, one]) => [name, pulledCollection(name, one)]));
}

/** A span as whole days in UTC. */
export const wholeDays: NonNullable<PulledType['widen']> = ({ startMs, endMs }) => ({
  startMs: Math.floor(startMs / dayMs) * dayMs,
  endMs: Math.ceil(endMs / dayMs) * dayMs,
});

/** The field tables of all collections. */
export function fieldsOf<N extends string>(
  all: Readonly<Record<N, Collection>>,
): Readonly<Record<string, FieldTable>> {
  return Object.fromEntries(Object.entries<Collection>(all).map(([name, { fields }]) => [name, fields]));
}
