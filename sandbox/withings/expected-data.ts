import type { SeriesType } from '../../domain/records/series.ts';
import { isoTime } from '../../domain/time/time.ts';
import { simulatedDay } from '../simulation/days.ts';
import { emptySeries, type SampleSink } from '../simulation/expected-series.ts';
import { intradayIn } from './api.ts';
import { type CurrentRow, rowsIn } from './current-rows.ts';
import { type RowKind, stagesOf } from './rows.ts';
import type { WithingsAccount, WithingsWorld } from './state.ts';

const dayMs = 86_400_000;

/** The data that an application should have stored since an instant: the existing rows, each once. */
export function expectedWithingsData(world: WithingsWorld, account: WithingsAccount, startMs: number) {
  const series = emptySeries();
  addWithingsSamples(series, world, account, startMs);
  const rows = (kind: RowKind) => rowsIn(world, account, kind, { startMs, endMs: world.clock.nowMs() });
  return {
    userid: account.userid,
    authorized: account.authorized,
    subscribed: account.subscriptions.map(({ appli }) => appli).toSorted((a, b) => a - b),
    days: rows('days')
      .filter(isOwn)
      .map(({ fields: { date, steps } }) => ({ date, steps })),
    workouts: rows('workouts').map(({ startMs: ms, fields: { category } }) => ({
      start_time: isoTime(ms),
      category,
    })),
    nights: rows('sleep').map(({ startMs: ms, fields: { date } }) => ({
      start_time: isoTime(ms),
      date,
      stages: simulatedDay(world.user(account.person), String(date)).sleep?.stages.length ?? 0,
    })),
    unconfirmed: rows('measures')
      .filter(isUnconfirmed)
      .map(({ startMs: ms }) => isoTime(ms)),
    steps: intradayIn(world, account, { startMs, endMs: world.clock.nowMs() }).map(([second, { steps }]) => [
      second,
      steps,
    ]),
    series: series.list(),
  };
}

function isOwn({ fields }: CurrentRow): boolean {
  return fields.deviceid !== null;
}

function isUnconfirmed({ fields }: CurrentRow): boolean {
  return fields.attrib === 1 || fields.attrib === 4;
}

const seriesOf: Readonly<Record<number, SeriesType>> = {
  1: 'weight',
  6: 'body_fat_percentage',
  9: 'blood_pressure_diastolic',
  10: 'blood_pressure_systolic',
  11: 'heart_rate',
  76: 'skeletal_muscle_mass',
  77: 'body_water_mass',
  88: 'bone_mass',
  170: 'visceral_fat_rating',
  226: 'basal_metabolic_rate',
};

/** Adds the samples of measurements and nights. */
export function addWithingsSamples(
  sink: SampleSink,
  world: WithingsWorld,
  account: WithingsAccount,
  startMs = world.clock.nowMs() - 30 * dayMs,
): void {
  const span = { startMs, endMs: world.clock.nowMs() };
  for (const row of rowsIn(world, account, 'measures', span)) if (!isUnconfirmed(row)) addMeasures(sink, row);
  // A night that began before the span has samples in it.
  for (const { fields } of rowsIn(world, account, 'sleep', { ...span, startMs: startMs - dayMs })) {
    const day = simulatedDay(world.user(account.person), String(fields.date));
    const rates =
      day.sleep === null ? [] : stagesOf(day, day.sleep).flatMap(({ hr }) => Object.entries(Object(hr)));
    for (const [second, value] of rates)
      if (Number(second) * 1000 >= startMs)
        sink.add('heart_rate', 'Sleep tracker', Number(second), Number(value));
  }
}

function addMeasures(sink: SampleSink, { startMs, fields }: CurrentRow): void {
  for (const { type, value, unit } of Array.isArray(fields.measures) ? fields.measures : []) {
    const name = seriesOf[type];
    const second = Math.floor(startMs / 1000);
    if (name !== undefined) sink.add(name, String(fields.model), second, Number(`${value}e${unit}`));
  }
}
