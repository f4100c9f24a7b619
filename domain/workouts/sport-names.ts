import { type WorkoutType, workoutTypes } from '../records/workout-types.ts';

/*
 * The sports that providers and files name, in one table, so that the same name has the same type everywhere. Names are compared in
 * lower case without blanks, hyphens and underscores. A compound that the table does not have is the sport that its last word names:
 * `hiking-rucking`, `SPEED_WALKING`, `GravelRide`. The words before it say where or how; another last word, such as `transition` or
 * `skating`, makes another sport of it. What remains is `other`.
 */
const names: Readonly<Record<WorkoutType, string>> = {
  running: `running run jogging jog treadmill runningtreadmill trackandfield trailrun trailrunning virtualrun indoorrunning
    trackrunning ultrarunning verticalrunning roadrunning crosscountryrunning`,
  walking: 'walking walk stroller nordicwalking indoorwalking dogwalking treadmillwalking',
  hiking: 'hiking hike rucking trekking mountaineering snowshoeing snowshoe',
  cycling: `cycling ride biking bike bicycling spin spinning gravel bmx mtb emtb ebiking ebike ebikefitness ebikemountain ebikeride
    emountainbikeride mountainbikeride gravelride virtualride roadcycling roadbiking mountainbiking indoorcycling gravelcycling
    cyclocross velomobile handcycling handcycle cyclingstationary bikingstationary`,
  swimming: 'swimming swim openwaterswimming poolswimming swimmingpool swimmingopenwater waterfitness',
  strength_training: `strengthtraining strength weights weightlifting weightliftingmsk powerlifting weighttraining gym outdoorgym
    functionalfitness functionaltraining functionalstrengthtraining traditionalstrengthtraining circuittraining crosstraining
    coretraining core bodyweight kettlebell calisthenics`,
  hiit: 'hiit hiittraining highintensityintervaltraining intervalworkout crossfit bootcamp',
  yoga: 'yoga hotyoga',
  pilates: 'pilates barre',
  rowing: 'rowing row rowingmachine indoorrowing virtualrow',
  elliptical: 'elliptical crosstrainer',
  other: 'wheelchairpushwalk motorbike motorbiking motorcycle motorcycling horseride',
};

/**
 * Sub-sports of FIT that say where or how. They name a sport only if nothing else does: as the last word of a compound they describe
 * another one.
 */
const subSports: Readonly<Partial<Record<WorkoutType, string>>> = {
  running: 'street trail track ultra obstacle',
  cycling: 'road mountain downhill recumbent mixedsurface',
  swimming: 'openwater',
  hiit: 'amrap emom tabata',
};

/** Sports by the numbers that exports of GPX of the activity platform had until they had names. */
export const sportOfNumber: Readonly<Record<string, string>> = {
  1: 'Ride',
  4: 'Hike',
  9: 'Run',
  10: 'Walk',
  16: 'Swim',
};

const typesIn = (table: Readonly<Partial<Record<WorkoutType, string>>>) =>
  new Map(
    workoutTypes.flatMap((type) => (table[type] ?? '').split(/\s+/).map((name) => [name, type] as const)),
  );
const typeOf = typesIn(names);
const typeOfSubSport = typesIn(subSports);

/**
 * The workout type of a sport by its name; `other` if none is known. `others`: names of the table that a provider's reference counts
 * among its other sports.
 */
export function workoutTypeNamed(name: unknown, others?: ReadonlySet<string>): WorkoutType {
  if (typeof name !== 'string') return 'other';
  // The words of `TrailRun`, `TRAIL_RUNNING_V2` and `trail-running`.
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && word !== 'v2');
  const whole = words.join('');
  if (others?.has(whole) === true) return 'other';
  if (whole === '') return 'other';
  return typeOf.get(whole) ?? typeOfSubSport.get(whole) ?? typeOf.get(words.at(-1) ?? '') ?? 'other';
}
