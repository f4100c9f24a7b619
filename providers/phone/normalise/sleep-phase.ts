import type { IntervalSource } from '../../../domain/records/interval-records.ts';
import { type ItemSpan, isObject, isProblem, type Problem, type RawItem, spanOf } from './item.ts';
import { sourceOf } from './source.ts';

/** The stages that we distinguish. `asleep`: asleep in an unknown stage; `in_bed`: in bed, asleep or not. */
export type PhaseStage = 'in_bed' | 'asleep' | 'awake' | 'light' | 'deep' | 'rem';

/** One phase of a night, as the phone sends it. */
export interface SleepPhase extends ItemSpan {
  readonly stage: PhaseStage;
  readonly source: IntervalSource;
  /** The provider's score of the night, 0 to 100. */
  readonly score: number | null;
}

const stages: Readonly<Record<string, PhaseStage>> = {
  in_bed: 'in_bed',
  sleeping: 'asleep',
  asleep: 'asleep',
  unknown: 'asleep',
  unspecified: 'asleep',
  awake: 'awake',
  awake_in_bed: 'awake',
  out_of_bed: 'awake',
  light: 'light',
  core: 'light',
  deep: 'deep',
  rem: 'rem',
};

const longestPhaseMs = 24 * 3_600_000;

/** Reads one entry of `sleep`. */
export function readSleepPhase(item: RawItem, nowMs: number, timeZone: string | null): SleepPhase | Problem {
  const span = spanOf(item, nowMs, timeZone);
  if (isProblem(span)) return span;
  const stage = typeof item.stage === 'string' ? stages[item.stage.toLowerCase()] : undefined;
  if (stage === undefined) return { field: 'stage', reason: 'is not known' };
  return phaseWithin(span, { stage, source: sourceOf(item), score: scoreOf(item.values) });
}

/** A phase in a span that is read already. */
export function phaseWithin(span: ItemSpan, rest: Omit<SleepPhase, keyof ItemSpan>): SleepPhase | Problem {
  const length = span.end_ms - span.start_ms;
  if (length === 0 || length > longestPhaseMs)
    return { field: 'endDate', reason: 'must be up to 24 hours after startDate' };
  return { ...span, ...rest };
}

function scoreOf(values: unknown): number | null {
  for (const one of Array.isArray(values) ? values : [])
    if (isObject(one) && one.type === 'sleepScore' && typeof one.value === 'number')
      return one.value >= 0 && one.value <= 100 ? Math.round(one.value) : null;
  return null;
}
