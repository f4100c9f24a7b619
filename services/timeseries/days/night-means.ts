import type { NightMeans } from '../../../domain/provider/facts.ts';
import { seriesOf } from '../../../domain/records/series.ts';
import { hourMs, type Range } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { ceilTo, floorTo } from '../samples/resolutions.ts';
import { nightTypeIds, type nightTypes } from './night-types.ts';
import { type NightPiece, type SleepMeanRow, selectSleepMeans } from './queries/select-sleep-means.ts';

/** One provider's night of a user: its device and the bounds of its main sessions, null without any. */
export interface NightSessions {
  readonly user_id: string;
  readonly provider: string;
  readonly device: string;
  readonly starts_ms: readonly number[] | null;
  readonly ends_ms: readonly number[] | null;
}

/** The main sessions of a night in time order. */
export function sessionsOf({ starts_ms, ends_ms }: Pick<NightSessions, 'starts_ms' | 'ends_ms'>): Range[] {
  return (starts_ms ?? []).map((startMs, index) => ({ startMs, endMs: ends_ms?.[index] ?? startMs }));
}

/** The means of nights, computed from samples and their statistics. */
export async function computeNightMeans(
  database: Queryable,
  nights: readonly NightSessions[],
): Promise<NightMeans[]> {
  const { hours, edges } = piecesOf(nights);
  const means = await selectSleepMeans(database, nightTypeIds, hours, edges);
  const byPlace = Map.groupBy(means, (mean) => mean.place);
  return nights.map(({ device }, place) => meansOf(byPlace.get(place) ?? [], device));
}

/** Splits the main sessions of nights into whole hours and edges. `place` is the index of the night. */
function piecesOf(nights: readonly NightSessions[]): { hours: NightPiece[]; edges: NightPiece[] } {
  const cut = nights.flatMap(({ user_id, provider, ...night }, place) =>
    sessionsOf(night).map((session) => ({ place, user_id, provider, ...cutAtHours(session) })),
  );
  const pieces = (which: 'hours' | 'edges') =>
    cut.flatMap(({ place, user_id, provider, [which]: ranges }) =>
      ranges.map((range) => ({ place, user_id, provider, ...range })),
    );
  return { hours: pieces('hours'), edges: pieces('edges') };
}

function cutAtHours({ startMs, endMs }: Range): { hours: Range[]; edges: Range[] } {
  const first = Math.min(ceilTo(startMs, hourMs), endMs);
  const last = Math.max(floorTo(endMs, hourMs), first);
  const filled = (ranges: Range[]) => ranges.filter((range) => range.startMs < range.endMs);
  return {
    hours: filled([{ startMs: first, endMs: last }]),
    edges: filled([
      { startMs, endMs: first },
      { startMs: last, endMs },
    ]),
  };
}

/**
 * The means of the device that reported the sleep, otherwise of the device with the most samples in it. Devices are
 * never mixed.
 */
function meansOf(rows: readonly SleepMeanRow[], device: string): NightMeans {
  const isOwn = (row: SleepMeanRow) => Number(row.device === device);
  const fullest = rows.toSorted((a, b) => isOwn(b) - isOwn(a) || b.n - a.n || (a.device < b.device ? -1 : 1));
  const of = (type: (typeof nightTypes)[number]) =>
    fullest.find(({ type_id }) => type_id === seriesOf(type).id)?.mean ?? null;
  return {
    heart_rate: of('heart_rate'),
    heart_rate_variability_sdnn: of('heart_rate_variability_sdnn'),
    respiratory_rate: of('respiratory_rate'),
    oxygen_saturation: of('oxygen_saturation'),
  };
}
