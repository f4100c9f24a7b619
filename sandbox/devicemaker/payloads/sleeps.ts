import { seconds } from '../../day-simulation/counts.ts';
import type { SimulatedDay, Sleep } from '../../day-simulation/day.ts';
import { type Stage, type StageSpan, stageTotals } from '../../day-simulation/night.ts';
import type { Span } from '../../day-simulation/plan.ts';
import { breathAt, spo2At } from '../../day-simulation/strain.ts';
import { randomOf } from '../../simulation/random.ts';
import type { SimulatedUser } from '../../simulation/simulated-users.ts';
import { offsetMinutesAt } from '../../simulation/zone.ts';
import { headOf, mapOf } from './head.ts';

/** The version of a sleep at an instant: tentative, then final, with the naps after it. */
interface Version {
  readonly final: boolean;
  readonly naps: readonly Span[];
}

const minuteMs = 60_000;
const tentativeAfterMs = 10 * minuteMs;
const finalAfterMs = 360 * minuteMs;

/** The sleep that ended on a day, if its version changed since the last synchronisation. */
export function sleeps(day: SimulatedDay, sync: Span): SleepItem[] {
  const before = versionAt(day, sync.startMs);
  const now = versionAt(day, sync.endMs);
  if (day.sleep === null || now === null) return [];
  if (before !== null && before.final === now.final && before.naps.length === now.naps.length) return [];
  return [sleepItemOf(day, day.sleep, now)];
}

function versionAt({ sleep, naps, endMs }: SimulatedDay, ms: number): Version | null {
  if (sleep === null || ms < Math.min(endMs, sleep.endMs + tentativeAfterMs)) return null;
  return {
    final: ms >= Math.min(endMs, sleep.endMs + finalAfterMs),
    naps: naps.filter((nap) => nap.endMs <= ms),
  };
}

/** A sleep as the device maker sends it. Its duration excludes the time awake. */
function sleepItemOf({ user, date }: SimulatedDay, sleep: Sleep, { final, naps }: Version) {
  const span = final ? sleep : tentativeSpan(user, sleep);
  const stages = clip(sleep.stages, span);
  const totals = stageTotals(stages);
  const asleep = totals.deep + totals.light + totals.rem;
  return {
    ...headOf(user, { startMs: span.startMs, endMs: span.startMs + asleep + totals.unmeasurable }),
    calendarDate: date,
    unmeasurableSleepInSeconds: seconds(totals.unmeasurable),
    deepSleepDurationInSeconds: seconds(totals.deep),
    lightSleepDurationInSeconds: seconds(totals.light),
    remSleepInSeconds: seconds(totals.rem),
    awakeDurationInSeconds: seconds(totals.awake),
    sleepLevelsMap: levelsOf(stages),
    validation: final ? 'ENHANCED_FINAL' : 'ENHANCED_TENTATIVE',
    timeOffsetSleepSpo2: mapOf(span.startMs, oxygenOf(user, sleep, span)),
    timeOffsetSleepRespiration: mapOf(span.startMs, breathsOf(user, sleep, span)),
    overallSleepScore: scoreOf(asleep, totals),
    totalNapDurationInSeconds: naps.reduce((sum, nap) => sum + seconds(nap.endMs - nap.startMs), 0),
    naps: naps.map((nap) => ({
      napDurationInSeconds: seconds(nap.endMs - nap.startMs),
      napStartTimeInSeconds: seconds(nap.startMs),
      napOffsetInSeconds: offsetMinutesAt(user.traits.zone, nap.startMs) * 60,
      napValidation: 'DEVICE',
    })),
  };
}

/** A sleep item. */
export type SleepItem = ReturnType<typeof sleepItemOf>;

// The tentative version often lacks the first and the last minutes.
function tentativeSpan({ seed }: SimulatedUser, { startMs, endMs }: Sleep): Span {
  const chance = randomOf(`${seed}/${startMs}/tentative`);
  const late = chance.chance(0.5) ? chance.whole(2, 9) : 0;
  return { startMs: startMs + late * minuteMs, endMs: endMs - chance.whole(6, 22) * minuteMs };
}

function clip(stages: readonly StageSpan[], span: Span): StageSpan[] {
  return stages
    .map(({ stage, startMs, endMs }) => ({
      stage,
      startMs: Math.max(startMs, span.startMs),
      endMs: Math.min(endMs, span.endMs),
    }))
    .filter(({ startMs, endMs }) => startMs < endMs);
}

function levelsOf(stages: readonly StageSpan[]) {
  const of = (wanted: Stage) =>
    stages
      .filter(({ stage }) => stage === wanted)
      .map(({ startMs, endMs }) => ({
        startTimeInSeconds: seconds(startMs),
        endTimeInSeconds: seconds(endMs),
      }));
  return { deep: of('deep'), light: of('light'), rem: of('rem'), awake: of('awake') };
}

/** The oxygen saturation of each measured minute. */
export function oxygenOf(user: SimulatedUser, sleep: Sleep, span: Span): [number, number][] {
  return measured(sleep, span).map(({ startMs }) => [startMs, spo2At(user, startMs)]);
}

function breathsOf(user: SimulatedUser, sleep: Sleep, span: Span): [number, number][] {
  return measured(sleep, span).map((one) => [one.startMs, breathAt(user, one)]);
}

function measured({ minutes }: Sleep, span: Span) {
  return minutes.filter(
    ({ startMs, worn, stage }) =>
      worn && stage !== 'unmeasurable' && startMs >= span.startMs && startMs < span.endMs,
  );
}

function scoreOf(asleepMs: number, totals: Record<Stage, number>) {
  const length = Math.min(1, asleepMs / (450 * minuteMs));
  const deepAndRem = Math.min(1, (totals.deep + totals.rem) / Math.max(1, asleepMs) / 0.42);
  const value = Math.round(
    100 * (0.7 * length + 0.3 * deepAndRem) - 8 * (totals.awake / Math.max(1, asleepMs)),
  );
  const qualifierKey = value >= 90 ? 'EXCELLENT' : value >= 80 ? 'GOOD' : value >= 60 ? 'FAIR' : 'POOR';
  return { value, qualifierKey };
}
