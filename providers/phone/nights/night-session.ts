import { isNapByTimes } from '../../../domain/records/naps.ts';
import {
  mostStageSpans,
  type SleepRecord,
  type StageSpan,
  sleepRanks,
} from '../../../domain/records/records.ts';
import { knownLocalDate } from '../../../domain/time/time.ts';
import type { PhaseStage } from '../normalise/sleep-phase.ts';
import type { NightPhase, PhaseGroup } from './join-phases.ts';

/** A stretch of a night in one stage. */
interface Stretch {
  readonly stage: PhaseStage;
  readonly start_ms: number;
  end_ms: number;
}

/** The sleep session of a group of phases. */
export function sessionOf({ phases, start_ms, end_ms }: PhaseGroup): SleepRecord {
  const stretches = stretchesOf(phases);
  const ms = { in_bed: 0, asleep: 0, awake: 0, light: 0, deep: 0, rem: 0 };
  for (const one of stretches) ms[one.stage] += one.end_ms - one.start_ms;
  const seconds = (stage: PhaseStage) => Math.round(ms[stage] / 1000);
  const stagedMs = ms.light + ms.deep + ms.rem;
  const isStaged = stagedMs > 0;
  const isAsleep = stagedMs + ms.asleep > 0;
  const staged = (stage: PhaseStage) => (isStaged ? seconds(stage) : null);
  const hasAwake = isStaged || ms.awake > 0;
  const offset = phases.findLast((one) => one.zone_offset_minutes !== null)?.zone_offset_minutes ?? null;
  return {
    start_ms,
    end_ms,
    zone_offset_minutes: offset,
    date: knownLocalDate(end_ms, offset),
    device: phases[0]?.device ?? 'unknown',
    is_nap: isNapByTimes(start_ms, end_ms, offset),
    rank: isAsleep ? sleepRanks.final : sleepRanks.tentative,
    asleep_seconds: isAsleep
      ? Math.round((stagedMs + ms.asleep) / 1000)
      : hasAwake
        ? Math.round((end_ms - start_ms) / 1000) - seconds('awake')
        : null,
    deep_seconds: staged('deep'),
    light_seconds: staged('light'),
    rem_seconds: staged('rem'),
    awake_seconds: hasAwake ? seconds('awake') : null,
    unmeasurable_seconds: isStaged && ms.asleep > 0 ? seconds('asleep') : null,
    interruptions: hasAwake ? stretches.filter(({ stage }) => stage === 'awake').length : null,
    score: phases.findLast(({ score }) => score !== null)?.score ?? null,
    stage_intervals: isStaged ? spansOf(stretches, start_ms) : null,
    details: null,
  };
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
  const starting = Map.groupBy(phases, ({ start_ms }) => start_ms);
  const borders = new Set(phases.flatMap(({ start_ms, end_ms }) => [start_ms, end_ms]));
  const stretches: Stretch[] = [];
  let open: NightPhase[] = [];
  let from = 0;
  for (const to of [...borders].toSorted((a, b) => a - b)) {
    const [first, ...others] = open;
    const stage = first && others.reduce(betterOf, first).stage;
    const last = stretches.at(-1);
    if (stage !== undefined && last?.stage === stage && last.end_ms === from) last.end_ms = to;
    else if (stage !== undefined) stretches.push({ stage, start_ms: from, end_ms: to });
    open.push(...(starting.get(to) ?? []));
    open = open.filter(({ end_ms }) => end_ms > to);
    from = to;
  }
  return stretches;
}

function betterOf(one: NightPhase, other: NightPhase): NightPhase {
  const by = ranks[one.stage] - ranks[other.stage];
  return by > 0 || (by === 0 && one.start_ms > other.start_ms) ? one : other;
}

const names = { awake: 'awake', light: 'light', deep: 'deep', rem: 'rem', asleep: 'unmeasurable' } as const;

function spansOf(stretches: readonly Stretch[], startMs: number): StageSpan[] | null {
  const second = (ms: number) => Math.round((ms - startMs) / 1000);
  const spans = stretches.flatMap(({ stage, start_ms, end_ms }): StageSpan[] =>
    stage === 'in_bed' ? [] : [[names[stage], second(start_ms), second(end_ms)]],
  );
  return spans.length > mostStageSpans ? null : spans;
}
