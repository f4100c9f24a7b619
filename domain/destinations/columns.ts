/**
 * The columns of what a destination gets. Files, tables and messages of all kinds have these columns, under these names and in this
 * order. `type` and `date` are keys of folders in a bucket, so that no column but the `type` of a sample has these names.
 */

/**
 * The types of values, and what represents them in a row: `uuid`, `text`, `date` (`2026-01-31`) and `json` (its text) are strings, `timestamp`
 * is a number of microseconds since 1970, the others are numbers and booleans. A value may be null only where `nullable` says so.
 */
export type ColumnType = 'uuid' | 'text' | 'timestamp' | 'date' | 'double' | 'int' | 'boolean' | 'json';

/** One column. */
export interface Column<N extends string = string> {
  readonly name: N;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly description: string;
}

/** A value of a column. */
export type ColumnValue = string | number | boolean | null;

function column<N extends string>(name: N, type: ColumnType, description: string): Column<N> {
  return { name, type, nullable: false, description };
}

function optional<N extends string>(name: N, type: ColumnType, description: string): Column<N> {
  return { name, type, nullable: true, description };
}

const source = [
  column('user_id', 'uuid', 'the id of the user'),
  column('provider', 'text', 'the provider'),
  column('device', 'text', 'the device, `unknown` if none was named'),
] as const;

const zone = optional(
  'zone_offset_minutes',
  'int',
  'the local clock of the record, in minutes east of UTC; null if the provider sent none',
);

const sample = [
  ...source,
  column('type', 'text', 'the series type; its unit is in the catalogue of series types'),
  optional('recording_method', 'text', '`manual` or `on_demand`; null if the device measured by itself'),
  column('time', 'timestamp', 'when it was measured; of an interval its start'),
  optional('duration_ms', 'int', 'the length of an interval; null for a sample of one instant'),
  column('value', 'double', 'the value, in the unit of the type'),
  column('zone_offset_minutes', 'int', 'the local clock of the sample, in minutes east of UTC'),
] as const;

const record = [column('id', 'uuid', 'the id of the record'), ...source] as const;
const span = [
  column('start_time', 'timestamp', 'the start'),
  column('end_time', 'timestamp', 'the end'),
] as const;

const workout = [
  ...record,
  column('workout_type', 'text', 'the workout type'),
  column('name', 'text', 'the name'),
  ...span,
  zone,
  column('local_date', 'date', 'the local day of the start'),
  column('duration_seconds', 'int', 'the duration'),
  optional('moving_seconds', 'int', 'the time in motion'),
  optional('calories_kcal', 'double', 'the energy'),
  optional('distance_meters', 'double', 'the distance'),
  optional('avg_heart_rate_bpm', 'int', 'the mean heart rate'),
  optional('max_heart_rate_bpm', 'int', 'the highest heart rate'),
  optional('avg_pace_sec_per_km', 'double', 'the mean pace'),
  optional('elevation_gain_meters', 'double', 'the ascent'),
  optional('steps', 'int', 'the steps'),
] as const;

const sleep = [
  ...record,
  ...span,
  zone,
  column('local_date', 'date', 'the local day of waking up'),
  column('is_nap', 'boolean', 'whether it is a nap'),
  optional('asleep_seconds', 'int', 'the time asleep'),
  optional('deep_seconds', 'int', 'the time in deep sleep'),
  optional('light_seconds', 'int', 'the time in light sleep'),
  optional('rem_seconds', 'int', 'the time in REM sleep'),
  optional('awake_seconds', 'int', 'the time awake'),
  optional('interruptions', 'int', 'the interruptions'),
  optional('score', 'int', 'the score of the provider'),
  optional('stage_intervals', 'json', 'a list of stage, start and end in seconds after the start'),
] as const;

const day = [
  ...record,
  column('local_date', 'date', 'the local day'),
  column('start_time', 'timestamp', 'the start'),
  column('duration_seconds', 'int', 'the length'),
  zone,
  optional('steps', 'int', 'the steps'),
  optional('distance_meters', 'double', 'the distance'),
  optional('floors_climbed', 'int', 'the floors'),
  optional('active_seconds', 'int', 'the active time'),
  optional('moderate_seconds', 'int', 'the time of moderate intensity'),
  optional('vigorous_seconds', 'int', 'the time of vigorous intensity'),
  optional('active_calories_kcal', 'double', 'the active energy'),
  optional('basal_calories_kcal', 'double', 'the basal energy'),
  optional('avg_heart_rate_bpm', 'int', 'the mean heart rate'),
  optional('min_heart_rate_bpm', 'int', 'the lowest heart rate'),
  optional('max_heart_rate_bpm', 'int', 'the highest heart rate'),
  optional('pushes', 'int', 'the pushes of a wheelchair'),
  optional('consumed_calories_kcal', 'double', 'the energy of food'),
  optional('values', 'json', 'values of the day that have no column, by name; null in a row of totals'),
] as const;

const score = [
  ...record,
  column('kind', 'text', 'the kind of the score'),
  column('local_date', 'date', 'the local day'),
  ...span,
  zone,
  optional('value', 'double', 'the score; null where the provider gives only a word'),
  optional('label', 'text', 'the word of the provider'),
  column('components', 'json', 'the parts of the score, by name'),
] as const;

const user = [
  column('user_id', 'uuid', 'the id of the user'),
  optional('external_user_id', 'text', 'the id that the application gave the user'),
  optional('time_zone', 'text', 'the time zone'),
  column('created_at', 'timestamp', 'when the user was created'),
] as const;

/** The columns by kind of row. Samples of all series types have the same ones. */
export const columnsOf = { sample, workout, sleep, day, score, user } as const;

/** A kind of row. */
export type RowKind = keyof typeof columnsOf;

/** The kinds of records: all rows but samples. */
export const recordKinds = ['workout', 'sleep', 'day', 'score', 'user'] as const satisfies readonly RowKind[];
export type RecordKind = (typeof recordKinds)[number];

/** The names of the columns of a kind. */
export type ColumnName<K extends RowKind> = (typeof columnsOf)[K][number]['name'];

/** The columns of a kind, without the types of their names. */
export function columnList(kind: RowKind): readonly Column[] {
  return columnsOf[kind];
}

/** Whether a type is a kind of records, and not a series type. */
export function isRecordKind(type: string): type is RecordKind {
  return recordKinds.some((kind) => kind === type);
}

/** The kind of row of a type. */
export function rowKindOf(type: string): RowKind {
  return isRecordKind(type) ? type : 'sample';
}
