import { assumed, extra, type FieldTable, kept } from '../../../domain/provider/field-table.ts';
import { head, ofDay } from './common.ts';

/** A night with its naps. */
export const sleeps: FieldTable = {
  ...head,
  durationInSeconds: kept('s', 'end_time'),
  calendarDate: ofDay.calendarDate ?? kept(null, 'date'),
  deepSleepDurationInSeconds: kept('s', 'sleep.deep_seconds'),
  lightSleepDurationInSeconds: kept('s', 'sleep.light_seconds'),
  remSleepInSeconds: kept('s', 'sleep.rem_seconds'),
  awakeDurationInSeconds: kept('s', 'sleep.awake_seconds'),
  unmeasurableSleepInSeconds: kept('s', 'sleep.unmeasurable_seconds'),
  sleepLevelsMap: kept('s', 'sleep.stage_intervals', 'sleep.interruptions'),
  'naps[].napStartTimeInSeconds': kept('s', 'sleep.start_ms'),
  'naps[].napDurationInSeconds': kept('s', 'sleep.asleep_seconds'),
  'naps[].napOffsetInSeconds': kept('s', 'zone_offset'),
  timeOffsetSleepSpo2: kept('percent', 'series.oxygen_saturation'),
  timeOffsetSleepRespiration: kept('breaths/min', 'series.respiratory_rate'),
  validation: kept(null, 'sleep.validation', 'sleep.rank'),
  'overallSleepScore.value': kept('0-100', 'sleep.score'),
  ...assumed({
    unmeasurableSleepDurationInSeconds: kept('s', 'sleep.unmeasurable_seconds'),
    'overallSleepScore.qualifierKey': kept(null, 'sleep.score_qualifier'),
    sleepScores: kept('0-100', 'sleep.score_parts'),
    totalNapDurationInSeconds: extra('s'),
    'naps[].napValidation': extra(),
  }),
};
