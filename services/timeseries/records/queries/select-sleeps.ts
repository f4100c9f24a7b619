import type { SleepDetails, StageSpan } from '../../../../domain/records/records.ts';
import type { EventRow, EventTable } from '../../queries/select-events.ts';

/** The columns of a sleep session that the API shows. */
export interface SleepRow extends EventRow {
  is_nap: boolean;
  asleep_seconds: number | null;
  awake_seconds: number | null;
  light_seconds: number | null;
  deep_seconds: number | null;
  rem_seconds: number | null;
}

/** Sleep sessions, including naps. */
export const sleepTable: EventTable = {
  name: 'sleeps',
  table: 'timeseries.sleep_session',
  columns: 'is_nap, asleep_seconds, awake_seconds, light_seconds, deep_seconds, rem_seconds',
};

/** A sleep session with what lists read only on request. */
export interface DetailedSleepRow extends SleepRow {
  unmeasurable_seconds: number | null;
  interruptions: number | null;
  score: number | null;
  stage_intervals: StageSpan[] | null;
  details: SleepDetails | null;
}

/** Sleep sessions with their details. */
export const detailedSleepTable: EventTable = {
  ...sleepTable,
  name: 'detailed-sleeps',
  columns: `${sleepTable.columns}, unmeasurable_seconds, interruptions, score, stage_intervals, details`,
};
