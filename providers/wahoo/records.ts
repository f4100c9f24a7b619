import {
  absentAs,
  assumed,
  computed,
  decides,
  each,
  extra,
  type FieldTable,
  kept,
  like,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';
import { type Collection, pulledCollections } from '../../domain/recipe/collection.ts';
import type { Draft } from '../../domain/recipe/draft.ts';
import { type Item, instantWithOffset, isItem } from '../../domain/recipe/read-fields.ts';

/** Names of the sports of a public list of their ids: the id, and the name that stands behind it. */
const sportList = `
0 biking 1 running 2 fitness_equipment 3 track_running 4 trail_running 5 treadmill_running 6 walking 7 speed_walking
8 nordic_walking 9 hiking 10 mountaineering 11 cyclocross 12 indoor_biking 13 mountain_biking 14 recumbent_biking
15 road_biking 16 track_biking 17 motorcycling 18 fitness_equipment 19 treadmill 20 elliptical 21 stationary_bike
22 rowing_machine 23 climbing_machine 25 lap_swimming 26 open_water_swimming 27 snowboarding 28 skiing
29 downhill_skiing 30 cross_country_skiing 31 skating 32 ice_skating 33 inline_skating 34 longboarding 35 sailing
36 windsurfing 37 canoeing 38 kayaking 39 rowing 40 kiteboarding 41 stand_up_paddling 42 workout 43 cardio_class
44 stair_climber 45 wheelchair 46 golfing 47 other 49 indoor_cycling 56 treadmill_walking 61 indoor_trainer_biking
62 multisport 63 transition 64 ebiking 65 heart_rate_only 66 yoga 67 race_running 68 virtual_biking
69 mental_training 70 handcycling 71 virtual_running 255 unknown`;
const sports: ReadonlyMap<number, string> = new Map(
  [...sportList.matchAll(/(\d+) (\w+)/g)].map(([, id, name = '']) => [Number(id), name]),
);

const textOfId = (id: unknown): string | null =>
  typeof id === 'number' || typeof id === 'string' ? String(id) : null;
const sportNamed = (id: unknown): string | null =>
  typeof id === 'number' ? (sports.get(id) ?? `workout_type_${id}`) : null;

/** The ids of the sports of simulated workouts. */
const simulated: Readonly<Record<string, number>> = {
  running: 1,
  walking: 6,
  hiking: 9,
  cycling: 0,
  swimming: 25,
  yoga: 66,
  rowing: 39,
};

/** Ids above these are of apps of other makers: a ride that one of them recorded has a source of its own. */
const lastOwnApp = 1000;
const sourceOf = (app: unknown): string | null =>
  typeof app === 'number' && app > lastOwnApp ? `app ${app}` : null;

const summaryOf = ({ workout_summary: summary }: Item): Item | null =>
  isItem(summary) && Object.keys(summary).length > 0 ? summary : null;
const isPlan = ({ plan_id }: Item): boolean => typeof plan_id === 'number' || typeof plan_id === 'string';

/** Without a summary nothing was measured, although a plan has times that look real. */
function recorded(draft: Draft, item: Item): Draft | string {
  if (summaryOf(item) !== null) return draft;
  return isPlan(item) ? 'planned' : 'no_values';
}

/** The path of a workout that the list shows without its summary. A plan has none. */
const ownPath = (listed: Item): string | null =>
  summaryOf(listed) === null && !isPlan(listed) && listed.id !== undefined
    ? `/v1/workouts/${encodeURIComponent(String(listed.id))}`
    : null;

const fileAddress = 'workout_summary.file.url';

/** Numbers are texts. Without the sensor they are 0: assumed of all but the heart rate, of which bodies are recorded. */
const measured: FieldTable = absentAs([0], {
  heart_rate_avg: kept('bpm', 'workout.avg_heart_rate_bpm'),
  ...assumed({
    power_avg: kept('W', 'details.avg_power_watts'),
    power_bike_avg: kept('W', 'details.avg_power_watts'),
    power_bike_np_last: kept('W', 'details.weighted_power_watts'),
    power_bike_tss_last: extra('score'),
    work_accum: kept('J', 'details.work_kilojoules'),
    cadence_avg: kept('rpm', 'details.avg_cadence_rpm'),
    speed_avg: kept('m/s', 'details.avg_speed_meters_per_second'),
  }),
});

/**
 * Workouts with their summaries. The list takes no times and begins with the newest. A change of a workout is notified, but not its
 * deletion: the daily read finds it in the last two weeks, and reads their files again.
 */
const activities: Collection = {
  device: 'Wahoo',
  scopes: ['workouts_read'],
  longestSpanDays: 31,
  recentDays: 3,
  sweepDays: 14,
  read: {
    path: '/v1/workouts',
    query: { per_page: '100' },
    records: 'workouts',
    span: null,
    page: {
      number: 'page',
      size: 100,
      newestFirst: ({ starts }) => instantWithOffset(starts)?.ms ?? null,
    },
    detail: { path: ownPath },
  },
  file: {
    format: 'fit',
    address: fileAddress,
    origins: ({ WAHOO_FILES_URL }: { readonly WAHOO_FILES_URL: string }) => [new URL(WAHOO_FILES_URL).origin],
  },
  extraAt: ['workout_summary'],
  complete: recorded,
  fields: {
    id: like((key) => key, computed(textOfId, null, 'key', 'details.activity_id')),
    starts: kept('ISO 8601', 'start_time'),
    name: kept(null, 'workout.name'),
    workout_type_id: like(
      (name) => simulated[String(name)] ?? 42,
      computed(sportNamed, null, 'workout.raw_type', 'workout.type'),
    ),
    minutes: notKept('0, or the planned length', 'min'),
    workout_token: notKept('it identifies the device'),
    plan_id: like(112, notKept('it decides whether a workout without a summary is only planned')),
    ...each(notKept('what the workout follows, which is no measurement'), 'plan_ids', 'route_id'),
    ...each(notKept('the time of the record at the provider'), 'created_at', 'updated_at'),
    ...under('workout_summary', {
      ...each(notKept('the key is the id of the workout'), 'id', 'workout_id'),
      user_id: notKept('the account'),
      name: notKept('the name of the workout'),
      started_at: notKept('`starts` has it'),
      ...each(notKept('the time of the record at the provider'), 'created_at', 'updated_at'),
      time_zone: kept('IANA', 'zone_offset'),
      duration_total_accum: kept('s', 'duration_seconds'),
      duration_active_accum: kept('s', 'workout.moving_seconds'),
      duration_paused_accum: notKept('the difference of the other two', 's'),
      distance_accum: kept('m', 'workout.distance_meters'),
      ascent_accum: kept('m', 'workout.elevation_gain_meters'),
      ...assumed({ calories_accum: kept('kcal', 'workout.calories_kcal') }),
      ...measured,
      manual: kept(null, 'workout.manual'),
      edited: like(false, extra()),
      fitness_app_id: like(14, computed(sourceOf, null, 'source')),
      'file.fitness_app_id': notKept('the app of the summary'),
      files: like([], notKept('`file` has it')),
    }),
    // Whoever has the address can read the file: it is not kept.
    [fileAddress]: decides(
      null,
      'series.heart_rate',
      'series.cadence',
      'series.power',
      'series.speed',
      'streams.latitude',
      'streams.longitude',
      'streams.altitude',
      'streams.distance',
      'streams.temperature',
      'laps.start_ms',
      'laps.end_ms',
    ),
  },
};

/** The kinds of data. There is no sleep and no daily activity, and the weight in the profile has no time. */
export const collections = { activities } as const satisfies Readonly<Record<string, Collection>>;
/** How they are read. */
export const types = pulledCollections(collections);
