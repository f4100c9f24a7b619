import type { WorkoutType } from '../records/workout-types.ts';

/** Names of sports that many providers share, without case, blanks, hyphens and underscores. */
const names: Readonly<Record<string, WorkoutType>> = {
  ...of(
    'running',
    'running run trailrun trailrunning treadmill treadmillrunning jogging indoorrunning trackrunning ultrarunning verticalrunning roadrunning crosscountryrunning trackandfieldrunning ultrarunningrunning triathlonrunning duathlonrunning offroadtriathlonrunning offroadduathlonrunning',
  ),
  ...of('walking', 'walking walk nordicwalking indoorwalking dogwalking stroller treadmillwalking'),
  ...of('hiking', 'hiking hike rucking trekking mountaineering'),
  ...of(
    'cycling',
    'cycling ride roadcycling roadbiking mountainbiking indoorcycling spin spinning gravelcycling ebiking emtb cyclocross handcycling biking virtualride gravel ebike parasportshandcycling triathloncycling duathloncycling offroadtriathloncycling offroadduathloncycling',
  ),
  ...of(
    'swimming',
    'swimming swim openwaterswimming poolswimming triathlonswimming offroadtriathlonswimming',
  ),
  ...of(
    'strength_training',
    'strengthtraining weightlifting weightliftingmsk powerlifting weighttraining gym functionalfitness strength circuittraining crosstraining coretraining bodyweight kettlebell calisthenics outdoorgym functionaltraining core',
  ),
  ...of('hiit', 'hiit highintensityintervaltraining crossfit'),
  ...of('yoga', 'yoga hotyoga'),
  ...of('pilates', 'pilates barre'),
  ...of('rowing', 'rowing indoorrowing rowingmachine'),
  ...of('elliptical', 'elliptical crosstrainer'),
};

function of(type: WorkoutType, all: string): Record<string, WorkoutType> {
  return Object.fromEntries(all.split(' ').map((name) => [name, type]));
}

/** The workout type of a sport by its name; `other` if none is known. */
export function workoutTypeNamed(name: unknown): WorkoutType {
  return typeof name === 'string' ? (names[name.toLowerCase().replace(/[\s_-]/g, '')] ?? 'other') : 'other';
}
