import {
  assumed,
  computed,
  extra,
  type FieldReader,
  kept,
  notKept,
} from '../../domain/provider/field-table.ts';
import type { Collection } from '../../domain/recipe/collection.ts';
import { type StageSpan, sleepRanks } from '../../domain/records/records.ts';
import { asleep, common, list, scoped } from './lists.ts';
import { pointsOfArray } from './points.ts';

/**
 * The stages of a text that has a character for each interval of a session. Characters without a stage are gaps. Nothing is
 * left beyond the end of the session.
 */
function stagesOfText(text: unknown, { names, intervalSeconds, mostSeconds }: StageText): StageSpan[] | null {
  if (typeof text !== 'string') return null;
  const spans: StageSpan[] = [];
  for (const [index, character] of [...text].entries()) {
    const [stage, from] = [names[character], index * intervalSeconds];
    const to = Math.min(from + intervalSeconds, mostSeconds);
    const last = spans.at(-1);
    if (stage === undefined || to <= from) continue;
    if (last?.[0] === stage && last[2] === from) spans[spans.length - 1] = [stage, last[1], to];
    else spans.push([stage, from, to]);
  }
  return spans.length === 0 ? null : spans;
}

/** How a text of stages is read. */
interface StageText {
  readonly names: Readonly<Record<string, StageSpan[0]>>;
  readonly intervalSeconds: number;
  /** The length of the session. */
  readonly mostSeconds: number;
}

const stages = { '1': 'deep', '2': 'light', '3': 'rem', '4': 'awake' } as const;

const stagesEvery =
  (intervalSeconds: number): FieldReader =>
  (text, { time_in_bed: bed }) => {
    const mostSeconds = typeof bed === 'number' ? bed : Number.POSITIVE_INFINITY;
    return stagesOfText(text, { names: stages, intervalSeconds, mostSeconds });
  };

const isNight = (type: unknown) => type === 'long_sleep';

/** Nights and naps. A night is sent several times while it is scored: it keeps its id. */
export const sleep: Collection = {
  ...common,
  device: asleep,
  devices: [asleep],
  scopes: scoped('daily'),
  read: list('sleep'),
  // A rest is a time in bed that the provider takes back as a sleep.
  complete: (draft, { type }) =>
    type === 'deleted' || type === 'rest'
      ? type
      : { ...draft, sleep: { ...draft.sleep, rank: sleepRanks.final } },
  fields: {
    id: kept(null, 'key'),
    day: kept(null, 'date'),
    type: computed((type) => !isNight(type), null, 'sleep.is_nap'),
    period: notKept('the number of the sleep on its day'),
    bedtime_start: kept('ISO 8601', 'start_time'),
    bedtime_end: kept('ISO 8601', 'end_time'),
    total_sleep_duration: kept('s', 'sleep.asleep_seconds'),
    deep_sleep_duration: kept('s', 'sleep.deep_seconds'),
    light_sleep_duration: kept('s', 'sleep.light_seconds'),
    rem_sleep_duration: kept('s', 'sleep.rem_seconds'),
    awake_time: kept('s', 'sleep.awake_seconds'),
    // It also ends the stages of a text that has more characters than the night.
    time_in_bed: kept('s', 'duration_seconds', 'sleep.stage_intervals'),
    latency: kept('s', 'sleep.latency_seconds'),
    efficiency: extra('percent'),
    average_heart_rate: extra('bpm'),
    // The provider shows it as the resting heart rate.
    lowest_heart_rate: computed(
      (value, { type }) => (isNight(type) ? value : null),
      'bpm',
      'series.resting_heart_rate',
    ),
    average_hrv: extra('ms'),
    average_breath: kept('breaths/min', 'series.respiratory_rate'),
    restless_periods: extra('count'),
    sleep_phase_30_sec: computed(stagesEvery(30), null, 'sleep.stage_intervals'),
    sleep_phase_5_min: computed(stagesEvery(300), null, 'sleep.stage_intervals'),
    movement_30_sec: notKept('a figure of the provider without a unit'),
    heart_rate: computed(pointsOfArray, 'bpm', 'series.heart_rate'),
    hrv: computed(pointsOfArray, 'ms', 'series.heart_rate_variability_rmssd'),
    readiness: notKept('`daily_readiness` has it'),
    low_battery_alert: extra(),
    ...assumed({
      readiness_score_delta: notKept('`daily_readiness` has the score'),
      sleep_score_delta: notKept('`daily_sleep` has the score'),
      sleep_algorithm_version: notKept('the version of a calculation'),
      sleep_analysis_reason: notKept('why the provider calculated it'),
      app_sleep_phase_5_min: notKept('the stages as the app shows them, which are going away'),
      ring_id: notKept('the serial number of the device'),
    }),
  },
};
