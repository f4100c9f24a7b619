import { type Gap, gapsOf } from '../../../domain/freshness/gaps.ts';
import type { FreshKind } from '../../../domain/freshness/shared-kinds.ts';
import { dateToMs, dayMs, localDate } from '../../../domain/time/time.ts';
import type { ProviderName } from '../../../providers/all.ts';
import { regularKinds, typesBringing } from './expectations.ts';

/** Days without data of a kind of a connection, as dates. */
export interface GapDays extends Pick<Gap, 'kind'> {
  readonly days: readonly string[];
}

/** Local days with data by kind, as UTC midnights. */
export type KindDays = ReadonlyMap<FreshKind, ReadonlySet<number>>;

/** Gaps of so many days are requested. */
const requestedDaysBack = 7;

/** The first day whose gaps are requested. */
export const oldestGapMs = (nowMs: number): number =>
  dateToMs(localDate(nowMs - requestedDaysBack * dayMs, 0));

/** The days of gaps since `oldestMs` that were not requested before. */
export function newGaps(
  provider: ProviderName,
  days: KindDays,
  asked: Readonly<Record<string, readonly string[]>>,
  oldestMs: number,
): GapDays[] {
  const missing = Map.groupBy(gapsOf(days, regularKinds(provider)), ({ kind }) => kind);
  return [...missing].flatMap(([kind, gaps]) => {
    const dates = gaps
      .flatMap(daysOf)
      .filter((ms) => ms >= oldestMs)
      .map((ms) => localDate(ms, 0))
      .filter((date) => !asked[kind]?.includes(date));
    return dates.length === 0 ? [] : [{ kind, days: dates }];
  });
}

function daysOf({ firstMs, lastMs }: { readonly firstMs: number; readonly lastMs: number }): number[] {
  return Array.from({ length: (lastMs - firstMs) / dayMs + 1 }, (_, index) => firstMs + index * dayMs);
}

/** A span of a data type to request. */
interface SpanRequest {
  readonly type: string;
  readonly start_ms: number;
  readonly end_ms: number;
}

/** The requests for days with gaps, until now at most. One type after another, the newest span of each first. */
export function requestsFor(provider: ProviderName, gaps: readonly GapDays[], nowMs: number): SpanRequest[] {
  const types = typesBringing(
    provider,
    gaps.map(({ kind }) => kind),
  );
  return types.flatMap((type) => {
    const gapsOfType = gaps.filter(({ kind }) => typesBringing(provider, [kind]).includes(type));
    const dates = [...new Set(gapsOfType.flatMap(({ days }) => days))].toSorted();
    return spansOf(dates.map(dateToMs), Math.floor(nowMs / 1000) * 1000).map((span) => ({ type, ...span }));
  });
}

/**
 * A local day ends at most this long after its UTC midnight. A night that ends on it begins at most a day before that
 * midnight.
 */
const latestEndMs = 1.5 * dayMs;

// Spans that overlap are one.
function spansOf(ascending: readonly number[], mostMs: number): Omit<SpanRequest, 'type'>[] {
  const spans: Omit<SpanRequest, 'type'>[] = [];
  for (const ms of ascending) {
    const end_ms = Math.min(mostMs, ms + latestEndMs);
    const last = spans[0];
    if (last !== undefined && ms - dayMs <= last.end_ms) spans[0] = { ...last, end_ms };
    else spans.unshift({ start_ms: ms - dayMs, end_ms });
  }
  return spans;
}
