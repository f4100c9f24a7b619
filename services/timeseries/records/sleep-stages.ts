import type { SleepStageIntervals } from '../../../contracts/timeseries/sleep-stages.ts';
import type { StageSpan } from '../../../domain/records/records.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import type { EventTable } from '../queries/select-events.ts';
import type { Settings } from '../settings.ts';
import { type SleepRow, sleepTable } from './queries/select-sleeps.ts';

/** A sleep session with its stored stage intervals. */
export interface StagedSleepRow extends SleepRow {
  stage_intervals: StageSpan[] | null;
}

/** Sleep sessions with their stage intervals, which lists do not read. */
export const stagedSleepTable: EventTable = {
  ...sleepTable,
  name: 'staged-sleeps',
  columns: 'is_nap, stage_intervals',
};

/** The wire form of a session's stage intervals. */
export function stagesToWire(row: StagedSleepRow, { shownAs }: Settings): SleepStageIntervals {
  return {
    id: row.id,
    start_time: formatInstant(row.start_ms),
    end_time: formatInstant(row.end_ms),
    source: { provider: shownAs(row.provider), device: row.device },
    is_nap: row.is_nap,
    intervals: intervalsToWire(row.stage_intervals, row.start_ms),
  };
}

/** Stored spans as intervals with their times. */
export function intervalsToWire(
  spans: readonly StageSpan[] | null,
  startMs: number,
): SleepStageIntervals['intervals'] {
  if (spans === null) return null;
  return spans.map(([stage, first, last]) => ({
    stage,
    start_time: formatInstant(startMs + first * 1000),
    end_time: formatInstant(startMs + last * 1000),
  }));
}

/** The most stage intervals of a page: about 400 kB. */
const mostSpansOfPage = 4000;

/** The number of sessions whose intervals fit on a page; one always does. */
export function fittingSleeps(rows: readonly Pick<StagedSleepRow, 'stage_intervals'>[]): number {
  let spans = 0;
  const beyond = rows.findIndex(({ stage_intervals }) => {
    spans += stage_intervals?.length ?? 0;
    return spans > mostSpansOfPage;
  });
  return beyond === -1 ? rows.length : Math.max(1, beyond);
}
