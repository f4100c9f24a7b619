import {
  absentAs,
  computed,
  decides,
  each,
  extra,
  type FieldReader,
  type FieldTable,
  kept,
  notKept,
} from '../../../domain/provider/field-table.ts';

/** `UTC-04:00`, or `UTCZ`. */
const offsetIn: FieldReader = (zone) => {
  const text = String(zone).trim();
  return text.startsWith('UTC') ? text.slice(3) || 'Z' : null;
};

const ofCycle: FieldTable = {
  'Cycle start time': notKept('the cycle is a record of its own'),
  'Cycle end time': notKept('the cycle is a record of its own'),
  'Cycle timezone': computed(offsetIn, null, 'zone_offset'),
};

/** A night or a nap. Its times are of the user's clock. */
export const sleepFields: FieldTable = {
  ...ofCycle,
  'Sleep onset': kept('local time', 'start_time', 'key'),
  'Wake onset': kept('local time', 'end_time'),
  'Sleep performance %': kept('percent', 'sleep.score'),
  'Respiratory rate (rpm)': kept('breaths/min', 'series.respiratory_rate'),
  'Asleep duration (min)': kept('min', 'sleep.asleep_seconds'),
  'In bed duration (min)': notKept('the time between start and end', 'min'),
  'Light sleep duration (min)': kept('min', 'sleep.light_seconds'),
  'Deep (SWS) duration (min)': kept('min', 'sleep.deep_seconds'),
  'REM duration (min)': kept('min', 'sleep.rem_seconds'),
  'Awake duration (min)': kept('min', 'sleep.awake_seconds'),
  ...each(extra('min'), 'Sleep need (min)', 'Sleep debt (min)'),
  ...each(extra('percent'), 'Sleep efficiency %', 'Sleep consistency %'),
  Nap: computed((nap) => String(nap).toLowerCase() === 'true', null, 'sleep.is_nap'),
};

/** The recovery after the night of a cycle, at the awakening. */
export const recoveryFields: FieldTable = {
  'Cycle timezone': computed(offsetIn, null, 'zone_offset'),
  'Wake onset': kept('local time', 'start_time', 'key'),
  'Recovery score %': kept('percent', 'score.recovery'),
  ...absentAs([0], {
    'Resting heart rate (bpm)': kept('bpm', 'series.resting_heart_rate'),
    'Heart rate variability (ms)': kept('ms', 'series.heart_rate_variability_rmssd'),
    'Skin temp (celsius)': kept('celsius', 'series.skin_temperature'),
    'Blood oxygen %': kept('percent', 'series.oxygen_saturation'),
  }),
};

/** A cycle, from one night to the next. Its energy and its heart rates are of the cycle, which is no day of the calendar. */
export const cycleFields: FieldTable = {
  'Cycle start time': kept('local time', 'start_time', 'key'),
  'Cycle end time': kept('local time', 'end_time'),
  'Cycle timezone': computed(offsetIn, null, 'zone_offset'),
  'Day Strain': kept(null, 'score.strain'),
  'Energy burned (cal)': kept('kcal', 'score_components.strain'),
  'Energy burned (kJ)': kept('kJ', 'score_components.strain'),
  ...each(kept('bpm', 'score_components.strain'), 'Max HR (bpm)', 'Average HR (bpm)'),
};

/** A workout. `cal` is kcal, and older exports have kJ. */
export const workoutFields: FieldTable = {
  ...ofCycle,
  'Workout start time': kept('local time', 'start_time', 'key'),
  'Workout end time': kept('local time', 'end_time'),
  'Duration (min)': notKept('the time between start and end', 'min'),
  'Activity name': kept(null, 'workout.raw_type'),
  'Activity Strain': kept(null, 'score.workout_strain'),
  ...absentAs([0], {
    'Energy burned (cal)': kept('kcal', 'workout.calories_kcal'),
    'Energy burned (kJ)': kept('kJ', 'workout.calories_kcal'),
    'Max HR (bpm)': kept('bpm', 'workout.max_heart_rate_bpm'),
    'Average HR (bpm)': kept('bpm', 'workout.avg_heart_rate_bpm'),
  }),
  'Distance (meters)': kept('m', 'workout.distance_meters'),
  'Altitude gain (meters)': kept('m', 'workout.elevation_gain_meters'),
  'Altitude change (meters)': extra('m'),
  ...each(extra('percent'), 'HR Zone 1 %', 'HR Zone 2 %', 'HR Zone 3 %', 'HR Zone 4 %', 'HR Zone 5 %'),
  'GPS enabled': notKept('the archive has no tracks'),
};

/** The columns of the tables of the archive. A row of cycles has a cycle, its night and the recovery after it. */
export const whoopFields = {
  whoopCycles: { ...withoutNap(sleepFields), ...recoveryFields, ...cycleFields, ...nightTimes() },
  whoopSleeps: sleepFields,
  whoopWorkouts: workoutFields,
} as const;

function withoutNap({ Nap: _, ...others }: FieldTable): FieldTable {
  return others;
}

/** The times of a night, of which that of waking up is that of its recovery too. */
function nightTimes(): FieldTable {
  return {
    'Sleep onset': decides('local time', 'start_time', 'key'),
    'Wake onset': decides('local time', 'end_time', 'key'),
  };
}
