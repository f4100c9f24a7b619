import type { SeriesType } from '../../domain/records/series.ts';
import { isoTime } from '../../domain/time/time.ts';
import type { SampleSink } from '../simulation/expected-series.ts';
import { pointsIn, reconciled, types } from './points.ts';
import type { HealthAccount, HealthWorld } from './state.ts';

const dayMs = 86_400_000;
const keptDays = 40;
const summed: readonly string[] = ['steps', 'distance'];

/** The current points of an account by type: their number and sum per device, and of the merge. */
export function expectedHealthData(
  world: HealthWorld,
  account: HealthAccount,
  from_ms = world.clock.nowMs() - keptDays * dayMs,
) {
  const span = { startMs: from_ms, endMs: world.clock.nowMs() + 1 };
  const lines = Object.keys(types).flatMap((type) => {
    const points = pointsIn(world, account, type, span);
    const merged = summed.includes(type)
      ? reconciled(points).map((one) => ({ ...one, ofDevice: 'merged' }))
      : [];
    const all = [...points.map((one) => ({ ...one, ofDevice: one.device.displayName })), ...merged];
    return [...Map.groupBy(all, ({ ofDevice }) => ofDevice)].map(([device, own]) => ({
      type,
      device,
      points: own.length,
      sum: own.reduce((sum, { value }) => sum + value, 0),
      first: isoTime(own[0]?.startMs ?? 0),
      last: isoTime(own.at(-1)?.startMs ?? 0),
    }));
  });
  return { health_user_id: account.health_user_id, authorized: account.authorized, lines };
}

const series: Readonly<Record<string, SeriesType>> = {
  'heart-rate': 'heart_rate',
  'daily-resting-heart-rate': 'resting_heart_rate',
  weight: 'weight',
};

/** Adds the samples of an account. Summed types are stored as intervals. */
export function addHealthSamples(sink: SampleSink, world: HealthWorld, account: HealthAccount): void {
  const endMs = world.clock.nowMs();
  for (const [type, name] of Object.entries(series))
    for (const { startMs, value, device } of pointsIn(world, account, type, {
      startMs: endMs - keptDays * dayMs,
      endMs,
    }))
      sink.add(name, device.displayName, startMs / 1000, value);
}
