import { assumed, decides, extra, kept } from '../../../domain/provider/field-table.ts';
import { itemType } from '../normalise/item-type.ts';
import { byOffset } from '../normalise/read-item.ts';
import { sleepChecks, withSleeps } from '../normalise/sleep.ts';
import { head } from './common.ts';

/** A night with its naps. */
export const sleeps = itemType(
  'sleeps',
  {
    ...head,
    durationInSeconds: kept('s', 'end_time'),
    calendarDate: kept(null, 'date'),
    deepSleepDurationInSeconds: kept('s', 'sleep.deep_seconds'),
    lightSleepDurationInSeconds: kept('s', 'sleep.light_seconds'),
    remSleepInSeconds: kept('s', 'sleep.rem_seconds'),
    awakeDurationInSeconds: kept('s', 'sleep.awake_seconds'),
    unmeasurableSleepInSeconds: kept('s', 'sleep.unmeasurable_seconds'),
    sleepLevelsMap: decides('s', 'sleep.stage_intervals', 'sleep.interruptions'),
    'naps[].napStartTimeInSeconds': kept('s', 'sleep.start_ms'),
    'naps[].napDurationInSeconds': kept('s', 'sleep.asleep_seconds'),
    'naps[].napOffsetInSeconds': kept('s', 'zone_offset'),
    timeOffsetSleepSpo2: byOffset('percent', 'series.oxygen_saturation'),
    timeOffsetSleepRespiration: byOffset('breaths/min', 'series.respiratory_rate'),
    validation: decides(null, 'sleep.validation', 'sleep.rank'),
    'overallSleepScore.value': kept('0-100', 'sleep.score'),
    ...assumed({
      unmeasurableSleepDurationInSeconds: kept('s', 'sleep.unmeasurable_seconds'),
      'overallSleepScore.qualifierKey': kept(null, 'sleep.score_qualifier'),
      sleepScores: decides('0-100', 'sleep.score_parts'),
      totalNapDurationInSeconds: extra('s'),
      'naps[].napValidation': extra(),
    }),
  },
  {
    supersede: 'sleep',
    spellings: {
      unmeasurableSleepInSeconds: ['unmeasurableSleepInSeconds', 'unmeasurableSleepDurationInSeconds'],
    },
    checks: sleepChecks,
    complete: withSleeps,
  },
);
