import { types } from '../../../providers/withings/types.ts';

type Pass = 'rows' | 'entries';

const normalise = (
  type: keyof typeof types,
  records: readonly unknown[],
  nowMs: number,
  pass: Pass = 'rows',
) => {
  const { items, skipped, intervals } = types[type].normalise({
    records: { [pass]: records },
    span: null,
    nowMs,
  });
  return { items, skipped, intervals: intervals?.intervals ?? [], sources: intervals?.sources ?? [] };
};

/** What records become, by their type. */
export const normaliseMeasures = (records: readonly unknown[], nowMs: number) =>
  normalise('measures', records, nowMs);
export const normaliseDays = (records: readonly unknown[], nowMs: number) =>
  normalise('days', records, nowMs);
export const normaliseWorkouts = (records: readonly unknown[], nowMs: number) =>
  normalise('workouts', records, nowMs);
export const normaliseIntraday = (records: readonly unknown[], nowMs: number) =>
  normalise('intraday', records, nowMs, 'entries');

/** Nights, and the stages of all of them. */
export interface SleepRead {
  readonly nights: readonly unknown[];
  readonly stages: readonly unknown[];
}
export const normaliseSleep = ({ nights, stages }: SleepRead, nowMs: number) =>
  normalise('sleep', [...nights, ...stages], nowMs);
