import {
  assumed,
  computed,
  decides,
  extra,
  extras,
  type FieldTable,
  kept,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';
import type { Draft } from '../../domain/recipe/draft.ts';
import { type Item, numberOf, valueAt } from '../../domain/recipe/read-fields.ts';
import type { RecordType } from '../../domain/recipe/record-type.ts';
import type { WorkoutType } from '../../domain/records/workout-types.ts';
import { common, intervalFields, invalid, isManual, point, secondsOf, sessionOf, stamps } from './point.ts';

const { 'dataSource.recordingMethod': _, ...ofPoint } = point;

const fields: FieldTable = {
  ...ofPoint,
  ...intervalFields('exercise'),
  'exercise.exerciseType': decides(null, 'workout.type', 'workout.raw_type'),
  'exercise.activeDuration': computed(secondsOf, 's', 'workout.moving_seconds'),
  ...under('exercise.metricsSummary', {
    caloriesKcal: kept('kcal', 'workout.calories_kcal'),
    distanceMillimeters: kept('mm', 'workout.distance_meters'),
    steps: kept('count', 'workout.steps'),
    averageSpeedMillimetersPerSecond: computed(
      (speed) => Number(speed) / 1000,
      'mm/s',
      ...(['workout.avg_pace_sec_per_km', 'details.avg_speed_meters_per_second'] as const),
    ),
    averageHeartRateBeatsPerMinute: kept('bpm', 'workout.avg_heart_rate_bpm'),
    'mobilityMetrics.avgCadenceStepsPerMinute': kept('steps/min', 'details.avg_cadence_rpm'),
    elevationGainMillimeters: kept('mm', 'workout.elevation_gain_meters'),
  }),
  ...assumed({
    'dataSource.recordingMethod': computed(isManual, null, 'workout.manual'),
    'exercise.displayName': kept(null, 'workout.name'),
    'exercise.notes': kept(null, 'details.description'),
    ...under('exercise.metricsSummary', {
      maxHeartRateBeatsPerMinute: kept('bpm', 'workout.max_heart_rate_bpm'),
      averagePaceSecondsPerMeter: extra('s/m'),
      activeZoneMinutes: extra('min'),
      runVo2Max: extra('ml/kg/min'),
      ...under('heartRateZoneDurations', extras('lightTime', 'moderateTime', 'vigorousTime', 'peakTime')),
    }),
    'exercise.exerciseEvents': notKept('starts and pauses: `activeDuration` is the time without pauses'),
    'exercise.exerciseMetadata': notKept('recordings of it are empty'),
    ...under('exercise', stamps),
  }),
};

/** Parts of the provider's names of exercises, the most specific first. */
const typesByPart: readonly (readonly [RegExp, WorkoutType])[] = [
  [/HIKING|TREKKING/, 'hiking'],
  [/RUN|JOG|TREADMILL/, 'running'],
  [/WALK/, 'walking'],
  [/BIK|CYCL|SPIN/, 'cycling'],
  [/SWIM/, 'swimming'],
  [/HIIT|INTERVAL|CIRCUIT|CROSSFIT|BOOTCAMP/, 'hiit'],
  [/STRENGTH|WEIGHT|CALISTHENICS|KETTLEBELL/, 'strength_training'],
  [/YOGA/, 'yoga'],
  [/PILATES|BARRE/, 'pilates'],
  [/ROW/, 'rowing'],
  [/ELLIPTICAL/, 'elliptical'],
];

function ofExercise(draft: Draft, exercise: Item): Draft | string {
  const session = sessionOf(draft, exercise);
  if (session === null) return invalid;
  const name = valueAt(exercise, ['exercise', 'exerciseType']);
  const raw_type = typeof name === 'string' ? name.slice(0, 100) : '';
  const speed = numberOf(
    valueAt(exercise, ['exercise', 'metricsSummary', 'averageSpeedMillimetersPerSecond']),
  );
  const isUnnamed = session.workout?.name === undefined;
  return {
    ...session,
    workout: {
      ...(raw_type === '' && isUnnamed ? { name: 'Exercise', plain_name: true } : {}),
      ...{ manual: false, ...session.workout, raw_type },
      type: typesByPart.find(([part]) => part.test(raw_type))?.[1] ?? 'other',
      avg_pace_sec_per_km: speed !== null && speed > 0 ? 1_000_000 / speed : null,
    },
  };
}

/** Exercises. */
export const exercise: RecordType = {
  ...common,
  fields,
  extraAt: ['exercise.metricsSummary'],
  complete: ofExercise,
};
