import type { Normalised } from '../../../domain/provider/pulled-provider.ts';
import { fields, types } from '../../../providers/withings/types.ts';
import * as rows from '../../fixtures/withings/records.ts';
import { intervalRows, itemRows, readableOf } from './readable.ts';
import type { FieldCase } from './removal.ts';

const { morning, nowMs } = rows;
const span = { startMs: (morning - 86_400) * 1000, endMs: nowMs };
const device = { hash_deviceid: 'h', model_id: 44 };
const weight = {
  ...{ value: 72_345, type: 1, unit: -3, algo: 0, fm: 3, apppfmid: 7, appliver: 5_050_021, position: 7 },
};

function read(type: keyof typeof types, pass = 'rows') {
  return (item: unknown) => rowsOf(types[type].normalise({ records: { [pass]: [item] }, span, nowMs }));
}

function rowsOf({ items, intervals }: Normalised) {
  const made = intervalRows(intervals?.intervals ?? [], intervals?.sources ?? []);
  return readableOf([...items.flatMap(itemRows), ...made]);
}

const night = rows.night();
const data = {
  ...{ ...night.data, hr_min: 44, hr_max: 71, rr_min: 11, rr_max: 19, durationtowakeup: 60 },
  ...{ wakeupduration: 1800, wakeup_latency: 60, out_of_bed_count: 1, nb_rem_episodes: 4, snoring: 600 },
  ...{ snoringepisodecount: 2, breathing_disturbances_intensity: 12, apnea_hypopnea_index: 3 },
  ...{ withings_index: 2, mvt_score_avg: 5, mvt_active_duration: 300 },
};
const fullNight = { ...night, ...device, created: morning, data };
const bare = { ...fullNight, data: { waso: 1_800, durationtosleep: 700, total_sleep_time: 20_000 } };
const asleepOnly = { ...fullNight, data: { asleepduration: 24_000, lightsleepduration: null } };
const stage = { ...rows.stage(0, 3600, 1), model: 'Sleep' };
const workout = rows.workout({ ...device, deviceid: 'w1' });
const workoutData = {
  ...{ ...workout.data, pool_laps: 20, strokes: 400, elevation: 12, intensity: 30, pool_length: 25 },
  ...{ algo_pause_duration: 10, manual_distance: 1, manual_calories: 2, spo2_average: 96 },
};

function sleepWith(stageOfNight: unknown) {
  const records = { rows: [fullNight, stageOfNight] };
  return rowsOf(types.sleep.normalise({ records, span, nowMs }));
}

function eachMeasure(item: unknown) {
  const measures = Object.entries(Object(item)).map(([type, value]) => ({
    type: Number(type),
    value,
    unit: 0,
  }));
  return rowsOf(
    types.measures.normalise({
      records: { rows: measures.map((one, index) => rows.group({ grpid: index, measures: [one] })) },
      ...{ span, nowMs },
    }),
  );
}

/** The answers of all calls. */
export const withingsCases: Readonly<Record<string, FieldCase>> = {
  measures: {
    table: fields.measures,
    items: [0, 2].map((attrib) =>
      rows.group({ ...device, modelid: 4, comment: 'c', attrib, category: 1, measures: [weight] }),
    ),
    read: read('measures'),
  },
  measureTypes: {
    table: fields.measureTypes,
    items: [
      Object.fromEntries(Object.keys(fields.measureTypes).map((type) => [type, type === '4' ? 1.8 : 40])),
    ],
    read: eachMeasure,
  },
  days: {
    table: fields.days,
    items: [
      rows.day({ ...device, active: 2400, modelid: 93 }),
      rows.importedDay(),
      rows.importedDay({ is_tracker: null }),
      rows.importedDay({ brand: null }),
    ],
    read: read('days'),
  },
  intraday: {
    table: fields.intraday,
    items: [rows.intraday(morning, { ...device, heart_rate: 61, stroke: 3, pool_lap: 1 })],
    read: read('intraday', 'entries'),
  },
  workouts: { table: fields.workouts, items: [{ ...workout, data: workoutData }], read: read('workouts') },
  sleep: { table: fields.sleep, items: [fullNight, bare, asleepOnly], read: read('sleep') },
  stages: { table: fields.stages, items: [stage], read: sleepWith },
};
