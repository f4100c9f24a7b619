import { type Random, randomOf } from '../simulation/random.ts';
import type { SimulatedUser } from '../simulation/simulated-users.ts';
import type { Span } from './plan.ts';

/** The stages that a device distinguishes; `unmeasurable` if it has no contact. */
export type Stage = 'deep' | 'light' | 'rem' | 'awake' | 'unmeasurable';

/** A span of one stage. */
export interface StageSpan extends Span {
  readonly stage: Stage;
}

const minute = 60_000;
/** Minutes of deep and of REM sleep by cycle: deep sleep decreases, REM sleep increases. */
const deepMinutes = [34, 26, 13, 6, 2] as const;
const remMinutes = [5, 13, 22, 28, 33] as const;

/** The stages of a sleep in order and without gaps, in cycles of about 90 minutes. */
export function stagesOf(user: SimulatedUser, sleep: Span): StageSpan[] {
  const chance = randomOf(`${user.seed}/${sleep.startMs}/stages`);
  const spans: StageSpan[] = [];
  let at = sleep.startMs;
  for (let cycle = 0; at < sleep.endMs; cycle++) {
    for (const [stage, minutes] of cycleOf(chance, cycle)) {
      const endMs = Math.min(sleep.endMs, at + Math.round(minutes) * minute);
      append(spans, { stage, startMs: at, endMs });
      at = endMs;
    }
  }
  return endAsleep(spans);
}

function cycleOf(chance: Random, cycle: number): [Stage, number][] {
  const deep = (deepMinutes[cycle] ?? 0) * chance.between(0.7, 1.25);
  const rem = (remMinutes[cycle] ?? 30) * chance.between(0.7, 1.25);
  const stages: [Stage, number][] = [['light', chance.between(9, 19)]];
  if (deep >= 3) stages.push(['deep', deep]);
  stages.push(['light', chance.between(18, 34)]);
  if (chance.chance(0.04)) stages.push(['unmeasurable', chance.whole(2, 6)], ['light', chance.between(4, 9)]);
  stages.push(['rem', rem]);
  if (chance.chance(0.55))
    stages.push(['awake', chance.chance(0.15) ? chance.whole(8, 24) : chance.whole(1, 5)]);
  return stages;
}

function append(spans: StageSpan[], next: StageSpan): void {
  if (next.endMs <= next.startMs) return;
  const last = spans.at(-1);
  if (last?.stage === next.stage) spans[spans.length - 1] = { ...last, endMs: next.endMs };
  else spans.push(next);
}

// The last stage is a sleep stage, because awake or unmeasurable time at the end would shorten the night.
function endAsleep(spans: StageSpan[]): StageSpan[] {
  const whole: StageSpan[] = [];
  for (const [index, span] of spans.entries()) {
    const edge = index === spans.length - 1 && (span.stage === 'awake' || span.stage === 'unmeasurable');
    append(whole, edge ? { ...span, stage: 'light' } : span);
  }
  return whole;
}

/** Milliseconds of each stage. */
export function stageTotals(spans: readonly StageSpan[]): Record<Stage, number> {
  const totals = { deep: 0, light: 0, rem: 0, awake: 0, unmeasurable: 0 };
  for (const { stage, startMs, endMs } of spans) totals[stage] += endMs - startMs;
  return totals;
}
