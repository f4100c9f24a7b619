import { StartError } from '../machine/start-error.ts';

// What is read of the database of Open Wearables. Its columns changed over time: those that are needed are checked before anything is
// read, the others are null where the database does not have them.

interface TableColumns {
  readonly needed: readonly string[];
  readonly taken: readonly string[];
}

/** The tables that are read, each with its columns. */
const sourceTables = {
  user: { needed: ['id'], taken: ['first_name', 'last_name', 'email', 'external_user_id', 'created_at'] },
  application: { needed: ['app_id', 'app_secret_hash'], taken: ['name', 'created_at'] },
  api_key: { needed: ['id'], taken: ['key_hash', 'key_prefix', 'name', 'created_at'] },
  refresh_token: {
    needed: ['id', 'token_type', 'user_id'],
    taken: ['app_id', 'created_at', 'revoked_at'],
  },
  user_connection: {
    needed: ['id', 'user_id', 'provider', 'status'],
    taken: [
      'provider_user_id',
      'access_token',
      'refresh_token',
      'token_expires_at',
      'scope',
      'created_at',
      'last_synced_at',
    ],
  },
  data_source: {
    needed: ['id', 'user_id', 'provider'],
    taken: ['device_model', 'software_version', 'source', 'device_type', 'original_source_name'],
  },
  series_type_definition: { needed: ['id', 'code', 'unit'], taken: [] },
  data_point_series: {
    needed: ['data_source_id', 'series_type_definition_id', 'recorded_at', 'value'],
    taken: ['external_id', 'zone_offset', 'is_daily_total'],
  },
  event_record: {
    needed: ['id', 'data_source_id', 'category', 'start_datetime', 'end_datetime'],
    taken: ['external_id', 'type', 'source_name', 'duration_seconds', 'zone_offset', 'title', 'notes'],
  },
} as const satisfies Record<string, TableColumns>;

/** Tables of newer versions: a database without them has none of their rows. */
const newerTables = {
  data_point_series_archive: {
    needed: ['data_source_id', 'series_type_definition_id', 'value'],
    taken: ['id', 'bucket_start_at', 'date', 'aggregation_type', 'sample_count'],
  },
  workout_details: {
    needed: ['record_id'],
    taken: [
      'heart_rate_min',
      'heart_rate_max',
      'heart_rate_avg',
      'energy_burned',
      'distance',
      'steps_count',
      'moving_time_seconds',
      'total_elevation_gain',
      'elev_high',
      'elev_low',
      'average_speed',
      'max_speed',
      'average_watts',
      'max_watts',
      'average_cadence',
      'segments',
      'hr_zones',
      'power_zones',
    ],
  },
  sleep_details: {
    needed: ['record_id'],
    taken: [
      'sleep_total_duration_minutes',
      'sleep_time_in_bed_minutes',
      'sleep_efficiency_score',
      'sleep_deep_minutes',
      'sleep_rem_minutes',
      'sleep_light_minutes',
      'sleep_awake_minutes',
      'is_nap',
      'sleep_stages',
    ],
  },
  menstrual_cycle_details: {
    needed: ['record_id'],
    taken: [
      'day_in_cycle',
      'current_phase',
      'current_phase_type',
      'length_of_current_phase',
      'days_until_next_phase',
      'predicted_cycle_length',
      'is_predicted_cycle',
      'cycle_length',
      'last_updated_at',
      'has_specified_cycle_length',
      'has_specified_period_length',
      'period_length',
      'fertile_window_start',
      'length_of_fertile_window',
      'pregnancy_snapshot',
    ],
  },
  health_score: {
    needed: ['id', 'category', 'recorded_at'],
    taken: [
      'user_id',
      'data_source_id',
      'provider',
      'value',
      'qualifier',
      'zone_offset',
      'components',
      'event_record_id',
    ],
  },
} as const satisfies Record<string, TableColumns>;

/** The tables whose rows are named in the report only. */
export const reportedTables = {
  personal_record: 'birth date and sex have no place here',
  developer: 'developers are invited anew: their passwords are not moved',
  invitation: 'invitations of developers are sent anew',
  provider_priority: 'proposed as the setting SOURCE_PRIORITY',
  device_type_priority: 'proposed as the setting DEVICE_PRIORITY',
} as const;

/** The tables with the details of records. */
export const detailTables = ['workout_details', 'sleep_details', 'menstrual_cycle_details'] as const;

/** A table whose rows are read. */
export type SourceTable = keyof typeof sourceTables | keyof typeof newerTables;

/** The columns that each table of the database has. */
export type Columns = ReadonlyMap<string, ReadonlySet<string>>;

const tables: Readonly<Record<SourceTable, TableColumns>> = { ...sourceTables, ...newerTables };
const oldest = 'v0.6.3';

/** Whether rows of a table are read. */
export const isRead = (name: string): boolean =>
  Object.hasOwn(tables, name) || Object.hasOwn(reportedTables, name);

/** Checks that all that is needed is there. @throws StartError with one sentence */
export function checkTables(columns: Columns): void {
  const missing = Object.keys(sourceTables).filter((table) => !columns.has(table));
  if (missing.length === Object.keys(sourceTables).length || !columns.has('data_source'))
    throw new StartError(
      `This is no database of Open Wearables: its schema public has no table ${missing[0] ?? 'data_source'}.`,
    );
  for (const [table, { needed }] of Object.entries(tables)) {
    const present = columns.get(table);
    if (present === undefined && Object.hasOwn(newerTables, table)) continue;
    const column = needed.find((name) => present?.has(name) !== true);
    if (column === undefined) continue;
    const what = present === undefined ? `table ${table}` : `column ${column} of table ${table}`;
    throw new StartError(
      `The ${what} is missing: this Open Wearables is older than ${oldest}. Bring it to ${oldest} or newer with its own migrations, then run again.`,
    );
  }
}

/** The columns of a table as a select list. A column that the database does not have is null. */
export function selectList(columns: Columns, table: SourceTable, alias: string): string {
  const present = columns.get(table);
  const { needed, taken } = tables[table];
  const columnOf = (name: string) => {
    if (present?.has(name) !== true) return 'null';
    // The client would read a date as midnight of the zone of this process.
    return name === 'date' ? `${alias}."${name}"::text` : `${alias}."${name}"`;
  };
  return [...needed, ...taken].map((name) => `${columnOf(name)} as "${name}"`).join(', ');
}
