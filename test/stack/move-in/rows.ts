import type {
  RecordRow,
  SampleRow,
  ScoreRow,
  SeriesDefinition,
  SourceRow,
} from '../../../stack/move-in/rules/rows.ts';

/** Rows of Open Wearables. Each test names only what it is about. */

export const nowMs = Date.UTC(2026, 10, 1);

export const sourceId = '11111111-1111-4111-8111-111111111111';
const userId = '22222222-2222-4222-8222-222222222222';
export const recordId = '33333333-3333-4333-8333-333333333333';

export function source(provider: string, fields: Partial<SourceRow> = {}): SourceRow {
  return { id: sourceId, user_id: userId, provider, ...fields };
}

const codes: readonly (readonly [id: number, code: string, unit: string])[] = [
  [1, 'heart_rate', 'bpm'],
  [2, 'resting_heart_rate', 'bpm'],
  [7, 'heart_rate_variability_rmssd', 'ms'],
  [41, 'weight', 'kg'],
  [46, 'skin_temperature', 'fahrenheit'],
  [50, 'skin_temperature_deviation', 'celsius'],
  [80, 'steps', 'count'],
  [81, 'active_energy', 'kcal'],
  [84, 'exercise_time', 'minutes'],
  [88, 'active_time', 'minutes'],
  [100, 'distance_walking_running', 'km'],
  [145, 'running_vertical_ratio', 'percent'],
  [209, 'elevation', 'meters'],
  [210, 'latitude', 'degrees'],
  [212, 'air_temperature', 'celsius'],
  [220, 'garmin_stress_level', 'score'],
  [506, 'nike_fuel', 'count'],
  [507, 'hydration', 'furlongs'],
  [600, 'dietary_protein', 'g'],
];

export const definitions: ReadonlyMap<number, SeriesDefinition> = new Map(
  codes.map(([id, code, unit]) => [id, { id, code, unit }]),
);

const idOf = (code: string): number => codes.find(([, name]) => name === code)?.[0] ?? 999;

/** A sample at a time in UTC. */
export function sample(
  code: string,
  time: string,
  value: string | null,
  fields: Partial<SampleRow> = {},
): SampleRow {
  return { recorded_at: time, value, series_type_definition_id: idOf(code), ...fields };
}

export const total = (code: string, time: string, value: string, zone_offset: string | null = '+02:00') =>
  sample(code, time, value, { zone_offset, is_daily_total: true });

export function record(category: string, fields: Partial<RecordRow> = {}): RecordRow {
  return {
    id: recordId,
    external_id: null,
    category,
    type: null,
    start_datetime: '2026-03-01T06:00:00Z',
    end_datetime: '2026-03-01T07:00:00Z',
    zone_offset: '+01:00',
    ...fields,
  };
}

export function score(category: string, fields: Partial<ScoreRow> = {}): ScoreRow {
  return {
    id: recordId,
    user_id: userId,
    provider: 'oura',
    category,
    value: '80.000',
    recorded_at: '2026-03-01T00:00:00Z',
    ...fields,
  };
}
