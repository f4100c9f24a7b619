import type { ListedSleepSession } from '../../../../clients/typescript/src/index.ts';
import { dayOf, type Zone } from '../../zone.ts';
import type { DayAxis } from './day-axis.ts';

/** A stage of sleep; `asleep` where the provider sent no stages. */
export type Stage = 'awake' | 'rem' | 'light' | 'deep' | 'unmeasurable' | 'asleep';

/** A time in one stage, in Unix milliseconds. */
export interface StageSpan {
  readonly stage: Stage;
  readonly from: number;
  readonly to: number;
}

/** The sessions that a picture shows: of several sources of the same sleep the one with stages, otherwise the longest. */
export function shownSleeps(all: readonly ListedSleepSession[]): ListedSleepSession[] {
  const shown: ListedSleepSession[] = [];
  const ranked = all.toSorted((one, other) => rank(other) - rank(one) || lengthOf(other) - lengthOf(one));
  for (const one of ranked) if (!shown.some((other) => areSame(one, other))) shown.push(one);
  return shown.toSorted((one, other) => Date.parse(one.start_time) - Date.parse(other.start_time));
}

const rank = ({ stages_timeline }: ListedSleepSession) => ((stages_timeline ?? []).length > 0 ? 1 : 0);
const lengthOf = ({ start_time, end_time }: ListedSleepSession) =>
  Date.parse(end_time) - Date.parse(start_time);
const areSame = (one: ListedSleepSession, other: ListedSleepSession) =>
  Date.parse(one.start_time) < Date.parse(other.end_time) &&
  Date.parse(other.start_time) < Date.parse(one.end_time);

/** The stages of sessions within a day. */
export function stageSpans(
  sleeps: readonly ListedSleepSession[],
  { from, to }: Pick<DayAxis, 'from' | 'to'>,
): StageSpan[] {
  return sleeps
    .flatMap(spansOf)
    .flatMap((span) =>
      span.to <= from || span.from >= to
        ? []
        : [{ ...span, from: Math.max(from, span.from), to: Math.min(to, span.to) }],
    );
}

function spansOf({ stages_timeline, start_time, end_time }: ListedSleepSession): StageSpan[] {
  const timeline = stages_timeline ?? [];
  if (timeline.length === 0)
    return [{ stage: 'asleep', from: Date.parse(start_time), to: Date.parse(end_time) }];
  return timeline.map((one) => ({
    stage: one.stage,
    from: Date.parse(one.start_time),
    to: Date.parse(one.end_time),
  }));
}

/** The night of a day: the longest sleep that ended on it, by the clock of the sleep. Undefined without one. */
export function nightOf(
  sleeps: readonly ListedSleepSession[],
  date: string,
  zone: Zone,
): ListedSleepSession | undefined {
  return sleeps
    .filter((one) => !one.is_nap && dayOf(one.zone_offset ?? zone, one.end_time) === date)
    .toSorted((one, other) => (other.duration_seconds ?? 0) - (one.duration_seconds ?? 0))[0];
}
