import type { NightMeans, NightSource, Nights } from '../../../domain/facts.ts';
import { seriesOf } from '../../../domain/series.ts';
import { hourMs, type Range } from '../../../domain/time.ts';
import type { Queryable } from '../../../mixins/database.ts';
import { ceilTo, floorTo } from '../samples/resolutions.ts';
import { byDateAndProvider, type DeviceNames, deviceNames } from './day-groups.ts';
import type { DateCursor } from './queries/select-activity-days.ts';
import { type NightRow, selectNights } from './queries/select-nights.ts';
import { type NightPiece, type SleepMeanRow, selectSleepMeans } from './queries/select-sleep-means.ts';

const measured = [
  'heart_rate',
  'heart_rate_variability_sdnn',
  'respiratory_rate',
  'oxygen_saturation',
] as const satisfies readonly (keyof NightMeans)[];
const typeIds = measured.map((type) => seriesOf(type).id);

/** A page of nights with the means of their samples. */
export async function readNights(database: Queryable, dates: DateCursor, most: number): Promise<Nights> {
  const all = await selectNights(database, dates, most);
  const rows = all.filter(isNight);
  const { hours, edges } = piecesOf(rows);
  const means = await selectSleepMeans(database, dates.userId, typeIds, hours, edges);
  const byPlace = Map.groupBy(means, (mean) => mean.place);
  const devices = deviceNames();
  const placed = rows.map((row, place) => ({ ...row, means: meansOf(byPlace.get(place) ?? [], row.device) }));
  const nights = byDateAndProvider(placed, (provider, own) => sourceOf(provider, own, devices));
  return { total: all[0]?.total ?? 0, devices: devices.names, nights };
}

type Night = NightRow & { date: string };

function isNight(row: NightRow): row is Night {
  return row.date !== null;
}

/** Splits the main sessions of nights into whole hours and edges. `place` is the index of the row. */
function piecesOf(rows: readonly Night[]): { hours: NightPiece[]; edges: NightPiece[] } {
  const cut = rows.flatMap((row, place) =>
    sessionsOf(row).map((session) => ({ place, provider: row.provider, ...cutAtHours(session) })),
  );
  const pieces = (which: 'hours' | 'edges') =>
    cut.flatMap(({ place, provider, [which]: ranges }) =>
      ranges.map((range) => ({ place, provider, ...range })),
    );
  return { hours: pieces('hours'), edges: pieces('edges') };
}

function sessionsOf({ starts_ms, ends_ms }: Night): Range[] {
  return (starts_ms ?? []).map((startMs, index) => ({ startMs, endMs: ends_ms?.[index] ?? startMs }));
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
  const of = (type: (typeof measured)[number]) =>
    fullest.find(({ type_id }) => type_id === seriesOf(type).id)?.mean ?? null;
  return {
    heart_rate: of('heart_rate'),
    heart_rate_variability_sdnn: of('heart_rate_variability_sdnn'),
    respiratory_rate: of('respiratory_rate'),
    oxygen_saturation: of('oxygen_saturation'),
  };
}

function sourceOf(
  provider: string,
  [row]: readonly (Night & { means: NightMeans })[],
  devices: DeviceNames,
): NightSource {
  if (row === undefined) throw new Error('a night without a row');
  const { nap_count, nap_seconds } = row;
  const device = devices.indexOf(row.device);
  return { provider, device, main: mainOf(row), nap_count, nap_seconds: nap_seconds ?? 0 };
}

function mainOf(row: Night & { means: NightMeans }): NightSource['main'] {
  const sessions = sessionsOf(row);
  const [first] = sessions;
  if (first === undefined) return null;
  const { deep_seconds, light_seconds, rem_seconds, awake_seconds, interruptions, is_staged, means } = row;
  return {
    sessions: sessions.length,
    start_ms: first.startMs,
    end_ms: Math.max(...sessions.map(({ endMs }) => endMs)),
    in_bed_seconds: sessions.reduce((sum, { startMs, endMs }) => sum + (endMs - startMs) / 1000, 0),
    asleep_seconds: row.asleep_seconds ?? 0,
    deep_seconds,
    light_seconds,
    rem_seconds,
    awake_seconds,
    interruptions,
    is_staged: is_staged ?? false,
    means,
  };
}
