import { ownValue } from '../../../domain/own-value.ts';
import {
  assumed,
  computed,
  decides,
  extra,
  type FieldTable,
  kept,
  notKept,
} from '../../../domain/provider/field-table.ts';
import type { Draft } from '../../../domain/recipe/draft.ts';
import { type Item, isItem, numberOf } from '../../../domain/recipe/read-fields.ts';
import type { RecordType } from '../../../domain/recipe/record-type.ts';
import { type SleepScorePart, sleepRanks } from '../../../domain/records/records.ts';
import { type ElementReader, elementReader, measured } from '../elements.ts';
import { type DayClocks, device } from './entries.ts';
import { dateOf } from './times.ts';

/** The confirmations of nights that are kept, with their ranks. Other nights were guessed, or refused by the user. */
const ranks: Readonly<Record<string, number>> = {
  ENHANCED_CONFIRMED: sleepRanks.unknown,
  ENHANCED_CONFIRMED_FINAL: sleepRanks.final,
  MANUALLY_CONFIRMED: sleepRanks.final,
};

/** A night of `*_sleepData.json`. It has the length of each stage, but no times of stages. */
export const nightFields: FieldTable = {
  calendarDate: computed(dateOf, null, 'date', 'key'),
  sleepStartTimestampGMT: kept('ISO 8601', 'start_time'),
  sleepEndTimestampGMT: kept('ISO 8601', 'end_time'),
  deepSleepSeconds: kept('s', 'sleep.deep_seconds'),
  lightSleepSeconds: kept('s', 'sleep.light_seconds'),
  remSleepSeconds: kept('s', 'sleep.rem_seconds'),
  awakeSleepSeconds: kept('s', 'sleep.awake_seconds'),
  unmeasurableSeconds: kept('s', 'sleep.unmeasurable_seconds'),
  sleepWindowConfirmationType: kept(null, 'sleep.validation'),
  'sleepScores.overallScore': computed(measured, '0-100', 'sleep.score'),
  'spo2SleepSummary.averageSPO2': computed(measured, 'percent', 'series.oxygen_saturation'),
  averageRespiration: computed(measured, 'breaths/min', 'series.respiratory_rate'),
  ...assumed({
    awakeCount: kept('count', 'sleep.interruptions'),
    'sleepScores.qualityScore': decides('0-100', 'sleep.score_parts'),
    'sleepScores.durationScore': decides('0-100', 'sleep.score_parts'),
    'sleepScores.recoveryScore': decides('0-100', 'sleep.score_parts'),
    'sleepScores.deepScore': decides('0-100', 'sleep.score_parts'),
    'sleepScores.remScore': decides('0-100', 'sleep.score_parts'),
    avgSleepStress: extra('1-100'),
    restlessMomentCount: extra('count'),
    napList: notKept('no description of its form is known'),
    retro: notKept('a night without a start is left out, whatever its totals are'),
  }),
};

const scoreParts = ['qualityScore', 'durationScore', 'recoveryScore', 'deepScore', 'remScore'] as const;

function withRank(draft: Draft, { sleepScores: scores }: Item): Draft | string {
  const { start_time, end_time, sleep = {} } = draft;
  if (start_time === undefined || end_time === undefined) return 'The night has no start or no end.';
  const rank = sleep.validation == null ? sleepRanks.unknown : ownValue(ranks, sleep.validation);
  if (rank === undefined) return 'The night is not confirmed.';
  const score_parts = scoreParts.flatMap((name): SleepScorePart[] => {
    const value = numberOf(isItem(scores) ? scores[name] : null);
    return value === null ? [] : [{ name, value, qualifier: null }];
  });
  return { ...draft, sleep: { ...sleep, rank, ...(score_parts.length === 0 ? {} : { score_parts }) } };
}

/** That of the nights of all files: of nights that overlap one counts, such as that of the same night in a file of a device. */
const nightDataType = 'sleep';

/** The reader of nights, whose clock is that of the day on which they end. */
export function nightReader(clocks: DayClocks): ElementReader {
  const type: RecordType = {
    device,
    fields: nightFields,
    complete: (draft, item) => {
      const night = withRank(draft, item);
      const clock = draft.date === undefined ? undefined : clocks.get(draft.date);
      return typeof night === 'string' || clock === undefined
        ? night
        : { ...night, zone_offset: clock.offset };
    },
  };
  return elementReader(nightDataType, 'sleep', type);
}
