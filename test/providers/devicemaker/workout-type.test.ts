import t from 'tap';
import type { WorkoutType } from '../../../domain/records/workout-types.ts';
import { workoutTypeOf } from '../../../providers/devicemaker/normalise/workout-type.ts';

const rows: readonly (readonly [WorkoutType, string])[] = [
  [
    'running',
    'RUNNING INDOOR_RUNNING OBSTACLE_RUN STREET_RUNNING TRACK_RUNNING TRAIL_RUNNING TREADMILL_RUNNING ULTRA_RUN VIRTUAL_RUN',
  ],
  ['walking', 'WALKING CASUAL_WALKING SPEED_WALKING INDOOR_WALKING NORDIC_WALKING'],
  [
    'cycling',
    'CYCLING BMX CYCLOCROSS DOWNHILL_BIKING E_BIKE_FITNESS E_BIKE_MOUNTAIN E_ENDURO_MTB ENDURO_MTB GRAVEL_CYCLING INDOOR_CYCLING MOUNTAIN_BIKING RECUMBENT_CYCLING ROAD_BIKING TRACK_CYCLING VIRTUAL_RIDE HANDCYCLING INDOOR_HANDCYCLING BIKE_TO_RUN_RIDE',
  ],
  ['swimming', 'SWIMMING LAP_SWIMMING OPEN_WATER_SWIMMING ICE_SWIMMING'],
  ['strength_training', 'STRENGTH_TRAINING'],
  ['hiit', 'HIIT'],
  ['yoga', 'YOGA'],
  ['pilates', 'PILATES'],
  ['elliptical', 'ELLIPTICAL'],
  ['rowing', 'ROWING INDOOR_ROWING'],
  ['hiking', 'HIKING RUCKING'],
  ['other', 'TENNIS GOLF RUNNING_LATE RUN BREATHWORK'],
];

for (const [type, names] of rows)
  for (const name of names.split(' ')) t.equal(workoutTypeOf(name), type, `${name} is ${type}`);

t.equal(workoutTypeOf(' trail-running '), 'running', 'blanks, hyphens and case do not matter');
t.equal(workoutTypeOf('Strength Training'), 'strength_training');
t.equal(workoutTypeOf('YOGA_V2'), 'yoga', 'a version at the end is no other type');
t.equal(workoutTypeOf('e_bike_fitness_v2'), 'cycling');
t.equal(workoutTypeOf(''), 'other');
