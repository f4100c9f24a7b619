import type { Item } from '../../../domain/recipe/read-fields.ts';
import type { IntervalSource } from '../../../domain/records/interval-records.ts';
import { dayMs } from '../../../domain/time/time.ts';
import { type ItemSpan, isProblem, itemsOf, type Problem, spanOf } from './item.ts';
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

const stages: ReadonlyMap<string, PhaseStage> = new Map(
  Object.entries({
    ...({ in_bed: 'in_bed', light: 'light', core: 'light', deep: 'deep', rem: 'rem' } as const),
    ...({ sleeping: 'asleep', asleep: 'asleep', unknown: 'asleep', unspecified: 'asleep' } as const),
    ...({ awake: 'awake', awake_in_bed: 'awake', out_of_bed: 'awake' } as const),
  }),
);

/** Reads one entry of `sleep`. */
export function readSleepPhase(item: Item, nowMs: number, timeZone: string | null): SleepPhase | Problem {
  const span = spanOf(item, nowMs, timeZone);
  if (isProblem(span)) return span;
  const stage = typeof item.stage === 'string' ? stages.get(item.stage.toLowerCase()) : undefined;
  if (stage === undefined) return { field: 'stage', reason: 'is not known' };
  return phaseWithin(span, { stage, source: sourceOf(item), score: scoreOf(item.values) });
}

/** A phase in a span that is read already. */
export function phaseWithin(span: ItemSpan, rest: Omit<SleepPhase, keyof ItemSpan>): SleepPhase | Problem {
  const length = span.end_ms - span.start_ms;
  if (length === 0 || length > dayMs)
    return { field: 'endDate', reason: 'must be up to 24 hours after startDate' };
  return { ...span, ...rest };
}

function scoreOf(values: unknown): number | null {
  const scores = itemsOf(values).filter(({ type }) => type === 'sleepScore');
  const score = scores.map(({ value }) => value).find((value) => typeof value === 'number');
  return score !== undefined && score >= 0 && score <= 100 ? Math.round(score) : null;
}
