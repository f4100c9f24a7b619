import type { WorkoutType } from '../../../domain/records/workout-types.ts';

/** Maps the device maker's activity types to workout types. All others are `other`. */
const table: readonly (readonly [type: WorkoutType, names: string])[] = [
  [
    'running',
    'RUNNING INDOOR_RUNNING OBSTACLE_RUN STREET_RUNNING TRACK_RUNNING TRAIL_RUNNING TREADMILL_RUNNING ULTRA_RUN VIRTUAL_RUN',
  ],
  ['walking', 'WALKING CASUAL_WALKING SPEED_WALKING INDOOR_WALKING'],
  [
    'cycling',
    'CYCLING BMX CYCLOCROSS DOWNHILL_BIKING E_BIKE_FITNESS E_BIKE_MOUNTAIN E_ENDURO_MTB ENDURO_MTB GRAVEL_CYCLING INDOOR_CYCLING MOUNTAIN_BIKING RECUMBENT_CYCLING ROAD_BIKING TRACK_CYCLING VIRTUAL_RIDE HANDCYCLING INDOOR_HANDCYCLING',
  ],
  ['swimming', 'SWIMMING LAP_SWIMMING OPEN_WATER_SWIMMING'],
  ['strength_training', 'STRENGTH_TRAINING'],
  ['hiit', 'HIIT'],
  ['yoga', 'YOGA'],
  ['pilates', 'PILATES'],
  ['elliptical', 'ELLIPTICAL'],
  ['rowing', 'ROWING INDOOR_ROWING'],
  ['hiking', 'HIKING RUCKING'],
];

/** Suffixes for activity types that are not in the table. */
const suffixes: readonly (readonly [ending: RegExp, type: WorkoutType])[] = [
  [/_RUN(NING)?$/, 'running'],
  [/_(RIDE|CYCLING|BIKING)$/, 'cycling'],
  [/_SWIMMING$/, 'swimming'],
  [/_WALKING$/, 'walking'],
];

const byName = new Map(
  table.flatMap(([type, names]) => names.split(' ').map((name) => [name, type] as const)),
);

/** An activity type without variations of case, blanks, hyphens and a trailing version. */
export function plainActivityType(raw: string): string {
  return raw.trim().toUpperCase().replaceAll(/[\s-]/g, '_').replace(/_V2$/, '');
}

/** The workout type of an activity type. */
export function workoutTypeOf(raw: string): WorkoutType {
  const name = plainActivityType(raw);
  return byName.get(name) ?? suffixes.find(([ending]) => ending.test(name))?.[1] ?? 'other';
}

/** A name for an unnamed activity: its type in plain words. */
export function plainName(raw: string): string {
  const words = plainActivityType(raw).replaceAll('_', ' ').trim().toLowerCase();
  return words === '' ? 'Activity' : words.charAt(0).toUpperCase() + words.slice(1);
}
