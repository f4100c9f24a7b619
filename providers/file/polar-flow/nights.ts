import { ownValue } from '../../../domain/own-value.ts';
import {
  assumed,
  computed,
  each,
  extra,
  type FieldTable,
  kept,
  notKept,
} from '../../../domain/provider/field-table.ts';
import { instantWithOffset, isItem, valueAt } from '../../../domain/recipe/read-fields.ts';
import type { RecordType } from '../../../domain/recipe/record-type.ts';
import type { StageSpan } from '../../../domain/records/records.ts';
import { isoDurationSeconds } from '../../../domain/time/local-times.ts';
import { dateToMs } from '../../../domain/time/time.ts';
import type { Clocks } from '../clocks.ts';
import { type ElementReader, elementReader, measured } from '../elements.ts';

/** The source of what names no device. */
export const device = 'Polar Flow';

const duration = 'ISO 8601';

/** A night of `sleep_result`, with its element of `sleep_score`. */
export const nightFields: FieldTable = {
  night: kept(null, 'date', 'key'),
  'sleepResult.hypnogram.sleepStart': kept('ISO 8601', 'start_time'),
  'sleepResult.hypnogram.sleepEnd': kept('ISO 8601', 'end_time'),
  'sleepResult.hypnogram.sleepStateChanges': computed(
    (changes, night) => stageIntervals(changes, secondsOf(night)),
    null,
    'sleep.stage_intervals',
  ),
  'evaluation.phaseDurations.light': computed(isoDurationSeconds, duration, 'sleep.light_seconds'),
  'evaluation.phaseDurations.deep': computed(isoDurationSeconds, duration, 'sleep.deep_seconds'),
  'evaluation.phaseDurations.rem': computed(isoDurationSeconds, duration, 'sleep.rem_seconds'),
  'evaluation.phaseDurations.wake': computed(isoDurationSeconds, duration, 'sleep.awake_seconds'),
  'evaluation.phaseDurations.unknown': computed(isoDurationSeconds, duration, 'sleep.unmeasurable_seconds'),
  'evaluation.analysis.efficiencyPercent': extra('percent'),
  'sleepScoreResult.sleepScore': computed(measured, '1-100', 'sleep.score'),
  ...assumed({
    'evaluation.asleepDuration': computed(isoDurationSeconds, duration, 'sleep.asleep_seconds'),
    'evaluation.interruptions.totalCount': kept('count', 'sleep.interruptions'),
    'evaluation.sleepSpan': notKept('the times have the length'),
    'sleepResult.hypnogram.batteryRanOut': extra(),
    ...each(
      notKept('set by the user'),
      'sleepResult.hypnogram.sleepGoal',
      'sleepResult.hypnogram.rating',
      'sleepResult.hypnogram.alarmSnoozeTimes',
    ),
    'sleepResult.hypnogram.deviceId': notKept('the serial number of the device'),
    'sleepResult.hypnogram.birthday': notKept('the account'),
    'sleepResult.sleepCycles': notKept('no description says what their depth is'),
  }),
};

const secondsOf = (night: Readonly<Record<string, unknown>>): number => {
  const [from, to] = ['sleepStart', 'sleepEnd'].map((name) =>
    instantWithOffset(valueAt(night, ['sleepResult', 'hypnogram', name])),
  );
  return from == null || to == null ? 0 : Math.round((to.ms - from.ms) / 1000);
};

const stages: Readonly<Record<string, StageSpan[0]>> = {
  WAKE: 'awake',
  REM: 'rem',
  NONREM1: 'light',
  NONREM2: 'light',
  NONREM3: 'deep',
};

// Each stage lasts until the next change. The last one may be a waking up after the end.
function stageIntervals(changes: unknown, seconds: number): StageSpan[] | null {
  const known = (Array.isArray(changes) ? changes.filter(isItem) : []).flatMap(
    ({ offsetFromStart, state }) => {
      const from = isoDurationSeconds(offsetFromStart);
      return from === null ? [] : [{ from: Math.min(Math.round(from), seconds), state }];
    },
  );
  const spans = known.flatMap(({ from, state }, index): StageSpan[] => {
    const stage = typeof state === 'string' ? ownValue(stages, state) : undefined;
    const to = known[index + 1]?.from ?? seconds;
    return stage === undefined || to <= from ? [] : [[stage, from, to]];
  });
  return spans.length === 0 ? null : spans;
}

/** The reader of nights. `scores`: the results of the scores by their nights. Nights state the clock. */
export function nightReader(scores: ReadonlyMap<unknown, unknown>, clocks: Clocks): ElementReader {
  const type: RecordType = {
    device,
    fields: nightFields,
    extraAt: ['evaluation.analysis', 'sleepResult.hypnogram'],
    complete(draft) {
      const { start_time, end_time, zone_offset, date, sleep = {} } = draft;
      if (start_time === undefined || end_time === undefined || date === undefined)
        return 'The night has no date or no times.';
      if (zone_offset !== undefined) clocks.state(start_time, zone_offset);
      // Nights of all files have one data type, in which other archives have their dates as keys.
      return { ...draft, key: `polar ${date}`, sleep };
    },
  };
  const read = elementReader('sleep', 'sleep', type);
  return (element, nowMs) =>
    isItem(element) ? read({ sleepScoreResult: scores.get(element.night), ...element }, nowMs) : [];
}

const perMinute = (interval: unknown) => 60_000 / Number(measured(interval, {}) ?? Number.NaN);

/** A night of `nightly_recovery`. */
export const recoveryFields: FieldTable = {
  night: kept(null, 'date', 'key'),
  recoveryIndicator: kept('1-6', 'score.recharge'),
  meanNightlyRecoveryRmssd: computed(
    measured,
    'ms',
    'series.heart_rate_variability_rmssd',
    'day_values.hrv_night_average_ms',
  ),
  ...assumed({
    meanNightlyRecoveryRespirationInterval: computed(perMinute, 'ms', 'series.respiratory_rate'),
    ansStatus: kept(null, 'score_components.recharge'),
    meanNightlyRecoveryRri: kept('ms', 'score_components.recharge'),
    ansRate: notKept('a class of the status'),
    recoveryIndicatorSubLevel: notKept('a class of the indicator'),
    ...each(notKept('of the usual nights of the user'), 'meanBaselineRmssd', 'sdBaselineRmssd'),
    ...each(notKept('of the usual nights of the user'), 'meanBaselineRri', 'sdBaselineRri'),
    ...each(
      notKept('of the usual nights of the user'),
      'meanBaselineRespirationInterval',
      'sdBaselineRespirationInterval',
    ),
    ...each(notKept('an advice'), 'exerciseTip', 'sleepTip', 'vitalityTip'),
  }),
};

/** Reads the recovery of a night, whose values count at the beginning of its date. */
export const readRecovery = elementReader('polar_recovery', 'recovery', {
  device,
  fields: recoveryFields,
  complete: (draft) =>
    draft.date === undefined
      ? 'The night has no date.'
      : { ...draft, start_time: dateToMs(draft.date), isLocal: true },
});
