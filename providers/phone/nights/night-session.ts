import {
  mostStageSpans,
  type SleepRecord,
  type StageSpan,
  sleepRanks,
} from '../../../domain/records/records.ts';
import { hourMs, knownLocalDate, minuteMs } from '../../../domain/time/time.ts';
import type { PhaseStage } from '../normalise/sleep-phase.ts';
import type { NightPhase, PhaseGroup } from './join-phases.ts';

/** A stretch of a night in one stage. */
interface Stretch {
  readonly stage: PhaseStage;
  readonly start_ms: number;
  readonly end_ms: number;
}

const longestNapMs = 3 * hourMs;
const napsFromHour = 9;
const napsUntilHour = 21;

/** The sleep session of a group of phases. */
export function sessionOf({ phases, start_ms, end_ms }: PhaseGroup): SleepRecord {
  const stretches = stretchesOf(phases);
  const seconds = (...stages: readonly PhaseStage[]) =>
    Math.round(
      stretches
        .filter(({ stage }) => stages.includes(stage))
        .reduce((sum, stretch) => sum + stretch.end_ms - stretch.start_ms, 0) / 1000,
    );
  const has = (...stages: readonly PhaseStage[]) => stretches.some(({ stage }) => stages.includes(stage));
  const isStaged = has('light', 'deep', 'rem');
  const isAsleep = has('asleep', 'light', 'deep', 'rem');
  const span_seconds = Math.round((end_ms - start_ms) / 1000);
  const offset =
    phases.findLast(({ zone_offset_minutes }) => zone_offset_minutes !== null)?.zone_offset_minutes ?? null;
  const staged = (stage: PhaseStage) => (isStaged ? seconds(stage) : null);
  const awakes = stretches.filter(({ stage }) => stage === 'awake').length;
  return {
    ...{ start_ms, end_ms, zone_offset_minutes: offset, date: knownLocalDate(end_ms, offset) },
    device: phases[0]?.device ?? 'unknown',
    is_nap: isNap(start_ms, end_ms, offset),
    rank: isAsleep ? sleepRanks.final : sleepRanks.tentative,
    asleep_seconds: isAsleep ? seconds('asleep', 'light', 'deep', 'rem') : span_seconds - seconds('awake'),
    ...{ deep_seconds: staged('deep'), light_seconds: staged('light'), rem_seconds: staged('rem') },
    awake_seconds: isStaged || awakes > 0 ? seconds('awake') : null,
    unmeasurable_seconds: isStaged && has('asleep') ? seconds('asleep') : null,
    interruptions: isStaged || awakes > 0 ? awakes : null,
    score: phases.findLast(({ score }) => score !== null)?.score ?? null,
    stage_intervals: isStaged ? spansOf(stretches, start_ms) : null,
    details: null,
  };
}

// Without an offset the hour is not known.
function isNap(startMs: number, endMs: number, offset: number | null): boolean {
  if (offset === null || endMs - startMs >= longestNapMs) return false;
  const hour = new Date(startMs + offset * minuteMs).getUTCHours();
  return hour >= napsFromHour && hour < napsUntilHour;
}

const ranks: Readonly<Record<PhaseStage, number>> = {
  in_bed: 0,
  asleep: 1,
  light: 2,
  deep: 2,
  rem: 2,
  awake: 2,
};

/**
 * Cuts the night at all borders of phases. In each segment the phase that says most counts, and of equal ones the one that
 * began last: `in_bed` covers the stages, and a repeated phase may overlap another.
 */
function stretchesOf(phases: readonly NightPhase[]): Stretch[] {
  const borders = [...new Set(phases.flatMap(({ start_ms, end_ms }) => [start_ms, end_ms]))].toSorted(
    (a, b) => a - b,
  );
  const stretches: Stretch[] = [];
  const open: NightPhase[] = [];
  const waiting = phases.toSorted((a, b) => a.start_ms - b.start_ms);
  let next = 0;
  for (const [index, from] of borders.entries()) {
    const to = borders[index + 1];
    if (to === undefined) break;
    for (let phase = waiting[next]; phase !== undefined && phase.start_ms <= from; phase = waiting[next]) {
      open.push(phase);
      next += 1;
    }
    for (let at = open.length - 1; at >= 0; at -= 1) if ((open[at]?.end_ms ?? 0) <= from) open.splice(at, 1);
    const best = open.reduce<NightPhase | null>(
      (so, one) => (so === null || isBetter(one, so) ? one : so),
      null,
    );
    if (best !== null) extend(stretches, { stage: best.stage, start_ms: from, end_ms: to });
  }
  return stretches;
}

function isBetter(one: NightPhase, other: NightPhase): boolean {
  const by = ranks[one.stage] - ranks[other.stage];
  return by > 0 || (by === 0 && one.start_ms >= other.start_ms);
}

function extend(stretches: Stretch[], stretch: Stretch): void {
  const last = stretches.at(-1);
  if (last?.stage === stretch.stage && last.end_ms === stretch.start_ms)
    stretches[stretches.length - 1] = { ...last, end_ms: stretch.end_ms };
  else stretches.push(stretch);
}

const names = { awake: 'awake', light: 'light', deep: 'deep', rem: 'rem', asleep: 'unmeasurable' } as const;

function spansOf(stretches: readonly Stretch[], startMs: number): StageSpan[] | null {
  const second = (ms: number) => Math.round((ms - startMs) / 1000);
  const spans = stretches.flatMap(({ stage, start_ms, end_ms }): StageSpan[] =>
    stage === 'in_bed' ? [] : [[names[stage], second(start_ms), second(end_ms)]],
  );
  return spans.length > mostStageSpans ? null : spans;
}
