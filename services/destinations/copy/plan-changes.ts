import type { RecordKind } from '../../../domain/destinations/columns.ts';
import { readMethod } from '../../../domain/records/recording-method.ts';
import type { SeriesType } from '../../../domain/records/series.ts';
import type { ObjectChange, RecordChange, SampleChange } from '../read/changes.ts';

/** Samples of one source that are replaced as a whole. Microseconds since 1970, both included; null: no bound. */
export interface ReplacedSpan {
  readonly user_id: string;
  readonly type: SeriesType;
  /** As they are stored. */
  readonly provider: string;
  readonly device: string;
  readonly first: number | null;
  readonly last: number | null;
  /** The id of the last change of it. */
  readonly sequence: string;
}

/** Records of a user that are replaced: by their ids, or those of local days. */
export interface ReplacedKey {
  readonly kind: RecordKind;
  readonly user_id: string;
  readonly key: string;
  readonly sequence: string;
}

/** What a part of the change log replaces. No two entries have a row in common. */
export interface Plan {
  readonly spans: readonly ReplacedSpan[];
  readonly keys: readonly ReplacedKey[];
}

/** A column that keys are values of. */
export type KeyColumn = 'id' | 'local_date' | 'user_id';

/** The column that the keys of a kind are values of. */
export function keyColumn(kind: RecordKind): KeyColumn {
  if (kind === 'user') return 'user_id';
  return kind === 'day' ? 'local_date' : 'id';
}

/** What changes replace, each row once: spans of a source that meet are one. */
export function planChanges(changes: readonly ObjectChange[]): Plan {
  const samples = changes.filter((one) => one.kind === 'sample');
  const records = changes.filter((one) => one.kind !== 'sample');
  const bySource = Object.values(
    Object.groupBy(samples, ({ user_id, type, provider, device }) =>
      JSON.stringify([user_id, type, provider, device]),
    ),
  );
  return {
    spans: bySource.flatMap((one) => joined(one ?? [])),
    keys: [
      ...new Map(
        records.flatMap(keyOf).map((one) => [JSON.stringify([one.kind, one.user_id, one.key]), one]),
      ).values(),
    ],
  };
}

function joined(changes: readonly SampleChange[]): ReplacedSpan[] {
  const sorted = changes
    .map(({ user_id, type, provider, device, first, last, id }) => ({
      ...{ user_id, type, provider, device, sequence: id },
      ...{ first: last === null ? null : first, last: first === null ? null : last },
    }))
    .toSorted((one, other) => lowest(one) - lowest(other));
  const spans: ReplacedSpan[] = [];
  for (const span of sorted) {
    const before = spans.at(-1);
    if (before === undefined || highest(before) < lowest(span)) spans.push(span);
    else spans[spans.length - 1] = union(before, span);
  }
  return spans;
}

const lowest = ({ first }: Pick<ReplacedSpan, 'first'>) => first ?? Number.NEGATIVE_INFINITY;
const highest = ({ last }: Pick<ReplacedSpan, 'last'>) => last ?? Number.POSITIVE_INFINITY;

function union(one: ReplacedSpan, other: ReplacedSpan): ReplacedSpan {
  const last = Math.max(highest(one), highest(other));
  const sequence = BigInt(one.sequence) > BigInt(other.sequence) ? one.sequence : other.sequence;
  return { ...one, last: Number.isFinite(last) ? last : null, sequence };
}

function keyOf({ kind, user_id, record_id, date, id }: RecordChange): ReplacedKey[] {
  const keys = { id: record_id, local_date: date, user_id };
  const key = keys[keyColumn(kind)];
  return key === null ? [] : [{ kind, user_id, key, sequence: id }];
}

/** The source of a span as it is shown. */
export function shownSource(
  { provider, device: stored }: Pick<ReplacedSpan, 'provider' | 'device'>,
  shownAs: (provider: string) => string,
): { readonly provider: string; readonly device: string; readonly recording_method: string | null } {
  const { device, method } = readMethod(stored);
  return { provider: shownAs(provider), device, recording_method: method };
}
