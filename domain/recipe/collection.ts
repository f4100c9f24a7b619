import type { FieldTable } from '../provider/field-table.ts';
import type { PulledType } from '../provider/pulled-provider.ts';
import { dayMs, hourMs } from '../time/time.ts';
import { type ListRead, listPass } from './list-pass.ts';
import { normaliserOf, type RecordType, replacedBy } from './record-type.ts';

/** A kind of data of a provider that lists it: how it is read, and what its records become. */
export interface Collection extends RecordType {
  readonly read: ListRead;
  /** The scopes of which one is needed; empty: any will do. */
  readonly scopes: readonly string[];
  readonly longestSpanDays: number;
  /** A notification that names no time leads to a read of the last days. */
  readonly recentDays: number;
  /** Once a day the last days are read, which repairs lost notifications and deletions. */
  readonly sweepDays: number;
  /** How often, if not once a day: for data without notifications. */
  readonly sweepHours?: number;
  /** Spans are of whole UTC days. */
  readonly wholeDays?: boolean;
  /** The provider shows so many days. */
  readonly shownDays?: number;
  readonly listsSinceConnection?: boolean;
  readonly hasLocalTimes?: true;
}

/** A collection as a type that pull-ingest reads. */
function pulledCollection(name: string, collection: Collection): PulledType {
  const {
    read,
    scopes,
    longestSpanDays,
    recentDays,
    sweepDays,
    sweepHours = 24,
    wholeDays: isOfDays = true,
  } = collection;
  const { shownDays, listsSinceConnection = false, hasLocalTimes = false } = collection;
  return {
    isGranted: (granted) => scopes.length === 0 || scopes.some((scope) => granted.includes(scope)),
    follows: 'spans',
    passes: { list: listPass(read) },
    longestSpanMs: longestSpanDays * dayMs,
    recentMs: recentDays * dayMs,
    sweeps: [{ everyMs: sweepHours * hourMs, days: sweepDays }],
    replaces: replacedBy(collection),
    normalise: normaliserOf(name, collection),
    ...(isOfDays ? { widen: wholeDays } : {}),
    ...(shownDays === undefined ? {} : { oldestMs: shownDays * dayMs }),
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
