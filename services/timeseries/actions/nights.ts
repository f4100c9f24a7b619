import type { DayReading } from '../../../domain/day-pages.ts';
import type { NightMeans, NightSource, Nights } from '../../../domain/provider/facts.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type NightRow, selectNights } from '../tables/nights.ts';
import { computeNightMeans, sessionsOf } from '../work/night-means.ts';
import { byDateAndProvider, type DeviceNames, deviceNames } from './days.ts';

/** A page of nights with the means of their samples: those that are kept, the others computed from samples. */
export async function readNights(database: Queryable, page: DayReading): Promise<Nights> {
  const all = await selectNights(database, page);
  const rows = await withMeans(database, page.user_id, all.filter(isNight));
  const devices = deviceNames();
  const nights = byDateAndProvider(rows, (provider, own) => sourceOf(provider, own, devices));
  return { total: all[0]?.total ?? 0, devices: devices.names, nights };
}

type Night = NightRow & { date: string };

function isNight(row: NightRow): row is Night {
  return row.date !== null;
}

async function withMeans(database: Queryable, user_id: string, rows: readonly Night[]): Promise<Night[]> {
  const missing = rows.filter(({ is_kept }) => !is_kept);
  const means = await computeNightMeans(
    database,
    missing.map((row) => ({ user_id, ...row })),
  );
  const computed = new Map(missing.map((row, index) => [row, means[index]]));
  return rows.map((row) => ({ ...row, ...computed.get(row) }));
}

function sourceOf(provider: string, [row]: readonly Night[], devices: DeviceNames): NightSource {
  if (row === undefined) throw new Error('a night without a row');
  const { nap_count, nap_seconds } = row;
  const device = devices.indexOf(row.device);
  return { provider, device, main: mainOf(row), nap_count, nap_seconds: nap_count === 0 ? 0 : nap_seconds };
}

function mainOf(row: Night): NightSource['main'] {
  const sessions = sessionsOf(row);
  const [first] = sessions;
  if (first === undefined) return null;
  const { deep_seconds, light_seconds, rem_seconds, awake_seconds, interruptions, is_staged } = row;
  return {
    sessions: sessions.length,
    start_ms: first.startMs,
    end_ms: Math.max(...sessions.map(({ endMs }) => endMs)),
    in_bed_seconds: sessions.reduce((sum, { startMs, endMs }) => sum + (endMs - startMs) / 1000, 0),
    asleep_seconds: row.asleep_seconds,
    deep_seconds,
    light_seconds,
    rem_seconds,
    awake_seconds,
    interruptions,
    is_staged: is_staged ?? false,
    means: meansOf(row),
  };
}

function meansOf({
  heart_rate,
  heart_rate_variability_sdnn,
  respiratory_rate,
  oxygen_saturation,
}: NightMeans): NightMeans {
  return { heart_rate, heart_rate_variability_sdnn, respiratory_rate, oxygen_saturation };
}
