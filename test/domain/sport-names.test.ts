import t from 'tap';
import { type WorkoutType, workoutTypes } from '../../domain/records/workout-types.ts';
import { workoutTypeNamed } from '../../domain/workouts/sport-names.ts';
import { workoutTypeOf as ofSportType } from '../../providers/activitynet/normalise/activity.ts';
import { workoutTypeOf as ofActivityType } from '../../providers/devicemaker/normalise/activity.ts';

type Names = Partial<Record<WorkoutType, string>>;

/** The activity types of the device maker's reference, and compounds with the endings that it names. */
const ofDeviceMaker: Names = {
  running: `RUNNING INDOOR_RUNNING OBSTACLE_RUN STREET_RUNNING TRACK_RUNNING TRAIL_RUNNING TREADMILL_RUNNING ULTRA_RUN VIRTUAL_RUN
    WHEELCHAIR_PUSH_RUN trail-running`,
  walking: 'WALKING CASUAL_WALKING SPEED_WALKING INDOOR_WALKING NORDIC_WALKING',
  cycling: `CYCLING BMX CYCLOCROSS DOWNHILL_BIKING E_BIKE_FITNESS E_BIKE_MOUNTAIN E_ENDURO_MTB ENDURO_MTB GRAVEL_CYCLING
    INDOOR_CYCLING MOUNTAIN_BIKING RECUMBENT_CYCLING ROAD_BIKING TRACK_CYCLING VIRTUAL_RIDE HANDCYCLING INDOOR_HANDCYCLING
    BIKE_TO_RUN_RIDE e_bike_fitness_v2`,
  swimming: 'SWIMMING LAP_SWIMMING OPEN_WATER_SWIMMING ICE_SWIMMING',
  strength_training: 'STRENGTH_TRAINING strength-training',
  hiit: 'HIIT',
  yoga: 'YOGA YOGA_V2',
  pilates: 'PILATES',
  elliptical: 'ELLIPTICAL',
  rowing: 'ROWING INDOOR_ROWING ROWING_V2',
  hiking: 'HIKING RUCKING',
  other: `TENNIS GOLF RUNNING_LATE BREATHWORK BIKE_TO_RUN_TRANSITION SWIM_TO_BIKE_TRANSITION_V2 MOUNTAINEERING
    WHEELCHAIR_PUSH_WALK MOTORCYCLING_V2 INLINE_SKATING SNOW_SHOE_WS STAND_UP_PADDLEBOARDING`,
};

/** The sport types of the activity platform's reference. */
const ofActivityPlatform: Names = {
  running: 'Run TrailRun VirtualRun',
  walking: 'Walk',
  hiking: 'Hike',
  cycling: 'Ride MountainBikeRide GravelRide EBikeRide EMountainBikeRide VirtualRide Velomobile Handcycle',
  swimming: 'Swim',
  strength_training: 'WeightTraining',
  hiit: 'HighIntensityIntervalTraining',
  yoga: 'Yoga',
  pilates: 'Pilates',
  rowing: 'Rowing VirtualRow',
  elliptical: 'Elliptical',
  other: `AlpineSki BackcountrySki Badminton Canoeing Crossfit Golf IceSkate InlineSkate Kayaking Kitesurf NordicSki Pickleball
    Racquetball RockClimbing RollerSki Sail Skateboard Snowboard Snowshoe Soccer Squash StairStepper StandUpPaddling Surfing
    TableTennis Tennis Wheelchair Windsurf Workout`,
};

/** Names of other providers, of HealthKit and of Health Connect. */
const ofOthers: Names = {
  running:
    'running_treadmill track_and_field jogging TREADMILL_RUNNING cross-country-running stroller-jogging',
  walking: 'walking dog-walking stroller POWER_WALKING',
  hiking: 'hiking-rucking hiking/rucking snowshoeing trekking mountaineering',
  cycling:
    'cycling_stationary hand_cycling BIKING_STATIONARY mountain_biking assault-bike spin e-mtb Bicycling OUTDOOR_BIKE',
  swimming: 'swimming_pool SWIMMING_OPEN_WATER water_fitness',
  strength_training: `functional_strength_training traditional_strength_training core_training weightlifting_msk WEIGHTS
    functional-fitness outdoor_gym cross_training CIRCUIT_TRAINING kettlebell`,
  hiit: 'high_intensity_interval_training boot_camp BOOTCAMP crossfit INTERVAL_WORKOUT',
  yoga: 'hot-yoga',
  pilates: 'barre',
  rowing: 'rowing_machine indoor_rowing',
  elliptical: 'crosstrainer',
  other: `ice-hockey skating roller_skiing horseback_riding wheelchair_walk_pace tai_chi transition swimrun motor_bike constructor
    table_tennis`,
};

/** Sports and sub-sports of FIT, and names that activities of GPX and TCX have. */
const ofFiles: Names = {
  running: 'treadmill street trail track ultra obstacle indoor_running trail_running Track_Running',
  walking: 'indoor_walking casual_walking speed_walking',
  hiking: 'snowshoeing mountaineering Hike',
  cycling: `Biking e_biking e_bike_fitness e_bike_mountain indoor_cycling spin road mountain downhill recumbent cyclocross bmx
    hand_cycling track_cycling gravel_cycling mixed_surface virtual_ride mountain_bike`,
  swimming: 'lap_swimming open_water',
  strength_training: 'strength_training',
  hiit: 'hiit amrap emom tabata',
  rowing: 'indoor_rowing',
  elliptical: 'elliptical',
  other: `generic fitness_equipment multisport transition run_to_bike_transition stair_climbing cardio_training all 77 1 nature_trail
    alpine_skiing backcountry match`,
};

for (const [title, table, typeOf] of [
  ['device maker', ofDeviceMaker, ofActivityType],
  ['activity platform', ofActivityPlatform, ofSportType],
  ['others', ofOthers, workoutTypeNamed],
  ['files', ofFiles, workoutTypeNamed],
] as const)
  t.test(`sports of ${title} have their type, whatever the case and the separators`, async (t) => {
    const wrong = workoutTypes.flatMap((type) =>
      (table[type] ?? '')
        .split(/\s+/)
        .filter((name) => name !== '')
        .flatMap((name) => [name, ` ${name.toUpperCase()} `, name.replaceAll('_', ' ')])
        .filter((name) => typeOf(name) !== type)
        .map((name) => `${name} is ${typeOf(name)}`),
    );
    t.same(wrong, []);
  });

t.test('what is no name is no sport', async (t) => {
  for (const name of [null, undefined, 7, {}, '', ' ', '__proto__', 'toString'])
    t.equal(workoutTypeNamed(name), 'other');
});
