import {
  assumed,
  decides,
  extra,
  type FieldTable,
  kept,
  like,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';
import { type Collection, pulledCollections } from '../../domain/recipe/collection.ts';
import type { Draft } from '../../domain/recipe/draft.ts';
import type { ListRead } from '../../domain/recipe/list-pass.ts';
import type { Item } from '../../domain/recipe/read-fields.ts';
import { sleepRanks } from '../../domain/records/records.ts';
import { localDate } from '../../domain/time/time.ts';

/** Lists of at most 25 records by the time at which they begin. A record may begin two days before the span that it reaches into. */
const list = (path: string): ListRead => ({
  path,
  query: { limit: '25' },
  records: 'records',
  span: { start: 'start', end: 'end', form: 'instant', beforeDays: 2 },
  page: { field: 'nextToken', next: 'next_token' },
});

const common = { device: 'WHOOP', longestSpanDays: 30, recentDays: 3, sweepDays: 30 } as const;

const times: FieldTable = {
  start: kept('ISO 8601', 'start_time'),
  end: kept('ISO 8601', 'end_time'),
  timezone_offset: kept(null, 'zone_offset'),
  user_id: notKept('the account'),
  created_at: notKept('the time of the record at the provider'),
  updated_at: notKept('the time of the record at the provider'),
};

/** The part of a record that counts once it is scored. */
const isScored = (item: Item): boolean => item.score_state === 'SCORED';

/** The day of a cycle is the local one in which its middle lies: a cycle lasts from one awakening to the next. */
function dayOfCycle(draft: Draft, item: Item): Draft | string {
  if (!isScored(item)) return 'not_scored';
  const { start_time, end_time, zone_offset } = draft;
  if (start_time === undefined || zone_offset === undefined) return 'unreadable';
  const middle = end_time === undefined ? start_time + 8 * 3_600_000 : (start_time + end_time) / 2;
  return { ...draft, date: localDate(middle, zone_offset) };
}

const cycle: Collection = {
  ...common,
  scopes: ['read:cycles'],
  read: list('/v2/cycle'),
  complete: dayOfCycle,
  fields: {
    id: kept(null, 'key'),
    ...times,
    score_state: like('SCORED', decides(null, 'score.strain')),
    // Those of the cycle, which is no day of the calendar.
    ...assumed({ step_count: kept('count', 'score_components.strain') }),
    ...under('score', {
      strain: kept(null, 'score.strain'),
      kilojoule: kept('kJ', 'score_components.strain'),
      average_heart_rate: kept('bpm', 'score_components.strain'),
      max_heart_rate: kept('bpm', 'score_components.strain'),
    }),
  },
};

// Until a night is scored only its times are known: how long the user slept is not.
function nightOf({ series, ...draft }: Draft, item: Item): Draft {
  const { sleep = {} } = draft;
  if (isScored(item))
    return {
      ...draft,
      ...(series === undefined ? {} : { series }),
      sleep: { ...sleep, rank: sleepRanks.final },
    };
  const { is_nap, validation = null } = sleep;
  const flag = is_nap === undefined ? {} : { is_nap };
  return { ...draft, sleep: { ...flag, validation, rank: sleepRanks.tentative } };
}

const sleep: Collection = {
  ...common,
  scopes: ['read:sleep'],
  read: list('/v2/activity/sleep'),
  complete: nightOf,
  fields: {
    id: kept(null, 'key'),
    ...times,
    score_state: like('SCORED', kept(null, 'sleep.validation', 'sleep.rank')),
    nap: kept(null, 'sleep.is_nap'),
    cycle_id: notKept('the cycle is a record of its own'),
    v1_id: notKept('the id in the former version of the API'),
    ...under('score.stage_summary', {
      total_in_bed_time_milli: notKept('the time between start and end', 'ms'),
      total_awake_time_milli: kept('ms', 'sleep.awake_seconds'),
      total_no_data_time_milli: kept('ms', 'sleep.unmeasurable_seconds'),
      total_light_sleep_time_milli: kept('ms', 'sleep.light_seconds'),
      total_slow_wave_sleep_time_milli: kept('ms', 'sleep.deep_seconds'),
      total_rem_sleep_time_milli: kept('ms', 'sleep.rem_seconds'),
      sleep_cycle_count: extra('count'),
      disturbance_count: kept('count', 'sleep.interruptions'),
    }),
    ...under('score.sleep_needed', {
      baseline_milli: extra('ms'),
      need_from_sleep_debt_milli: extra('ms'),
      need_from_recent_strain_milli: extra('ms'),
      need_from_recent_nap_milli: extra('ms'),
    }),
    ...under('score', {
      respiratory_rate: kept('breaths/min', 'series.respiratory_rate'),
      sleep_performance_percentage: kept('percent', 'sleep.score'),
      sleep_consistency_percentage: extra('percent'),
      sleep_efficiency_percentage: extra('percent'),
    }),
  },
};

// A recovery has the time of its calculation alone; it belongs to the day on which its night ends.
const recovery: Collection = {
  ...common,
  scopes: ['read:recovery'],
  read: list('/v2/recovery'),
  clockOf: 'sleep',
  complete: (draft, item) => (isScored(item) ? draft : 'not_scored'),
  fields: {
    sleep_id: kept(null, 'key'),
    cycle_id: notKept('the cycle is a record of its own'),
    user_id: notKept('the account'),
    created_at: kept('ISO 8601', 'start_time'),
    updated_at: notKept('the time of the record at the provider'),
    score_state: like('SCORED', decides(null, 'score.recovery')),
    ...under('score', {
      recovery_score: kept('percent', 'score.recovery'),
      resting_heart_rate: kept('bpm', 'series.resting_heart_rate'),
      hrv_rmssd_milli: kept('ms', 'series.heart_rate_variability_rmssd'),
      spo2_percentage: kept('percent', 'series.oxygen_saturation'),
      skin_temp_celsius: kept('celsius', 'series.skin_temperature'),
      user_calibrating: like(false, kept(null, 'score_components.recovery')),
    }),
  },
};

const workout: Collection = {
  ...common,
  scopes: ['read:workout'],
  read: list('/v2/activity/workout'),
  fields: {
    id: kept(null, 'key'),
    ...times,
    v1_id: notKept('the id in the former version of the API'),
    score_state: like('SCORED', notKept('until it is scored a workout has no figures')),
    sport_id: notKept('`sport_name` has the sport'),
    sport_name: kept(null, 'workout.raw_type', 'workout.type'),
    ...under('score', {
      strain: kept(null, 'score.workout_strain'),
      average_heart_rate: kept('bpm', 'workout.avg_heart_rate_bpm'),
      max_heart_rate: kept('bpm', 'workout.max_heart_rate_bpm'),
      kilojoule: kept('kJ', 'workout.calories_kcal'),
      // The reference has 100 for all of it, recorded workouts have 1.
      percent_recorded: extra('0-1'),
      distance_meter: kept('m', 'workout.distance_meters'),
      altitude_gain_meter: kept('m', 'workout.elevation_gain_meters'),
      altitude_change_meter: extra('m'),
    }),
    ...under('score.zone_durations', {
      zone_zero_milli: extra('ms'),
      zone_one_milli: extra('ms'),
      zone_two_milli: extra('ms'),
      zone_three_milli: extra('ms'),
      zone_four_milli: extra('ms'),
      zone_five_milli: extra('ms'),
    }),
  },
};

/** The kinds of data. Body measurements have no time, so that they are not read. */
export const collections = { cycle, sleep, recovery, workout } as const satisfies Readonly<
  Record<string, Collection>
>;
/** The kinds of data as pull-ingest reads them. */
export const types = pulledCollections(collections);
