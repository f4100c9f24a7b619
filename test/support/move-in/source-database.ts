import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Test } from 'tap';
import { adminUrl } from '../servers/database.ts';

/** A database as Open Wearables v0.6.3 has it, on the server of the tests. It has no foreign keys, so that orphans can be made. */
export interface SourceDatabase {
  readonly url: string;
  query<T extends pg.QueryResultRow>(statement: string, values?: readonly unknown[]): Promise<T[]>;
}

const schema = `
create table "user" (id uuid primary key, created_at timestamptz not null default now(), first_name varchar(100), last_name varchar(100),
  email varchar, external_user_id varchar(255) unique);
create table personal_record (id uuid primary key, user_id uuid not null unique, birth_date date, sex boolean, gender varchar(32),
  created_at timestamptz not null default now());
create table developer (id uuid primary key, created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
  first_name varchar(100), last_name varchar(100), email varchar(255) not null unique, hashed_password varchar(255) not null);
create table invitation (id uuid primary key, email varchar(255) not null, token varchar(255) not null unique, status varchar(32) not null,
  expires_at timestamptz not null, created_at timestamptz not null default now(), invited_by_id uuid);
create table api_key (id varchar(64) primary key, name varchar not null, created_by uuid, created_at timestamptz not null default now());
create table application (id uuid primary key, app_id varchar(64) not null unique, app_secret_hash varchar not null, name varchar(100) not null,
  developer_id uuid, created_at timestamptz not null default now(), updated_at timestamptz not null default now());
create table refresh_token (id varchar(64) primary key, token_type varchar(32) not null, user_id uuid, app_id varchar(64), developer_id uuid,
  created_at timestamptz not null default now(), last_used_at timestamptz, revoked_at timestamptz);
create table user_connection (id uuid primary key, user_id uuid not null, provider varchar(50) not null, provider_user_id varchar,
  provider_username varchar, access_token varchar, refresh_token varchar, token_expires_at timestamptz, scope varchar,
  status varchar(64) not null, last_synced_at timestamptz, created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(), unique (user_id, provider));
create table data_source (id uuid primary key, user_id uuid not null, provider varchar(50) not null, user_connection_id uuid,
  device_model varchar(100), software_version varchar(50), source varchar(100), device_type varchar(32), original_source_name varchar(100),
  created_at timestamptz not null default now());
create index on data_source (user_id, provider);
create table series_type_definition (id integer primary key, code varchar(64) not null unique, unit varchar(32) not null,
  created_at timestamptz not null default now());
create table data_point_series (id uuid primary key default gen_random_uuid(), external_id varchar(100), data_source_id uuid not null,
  recorded_at timestamptz not null, zone_offset varchar(10), value numeric(10, 3) not null, series_type_definition_id integer not null,
  is_daily_total boolean, created_at timestamptz not null default now(),
  unique (data_source_id, series_type_definition_id, recorded_at));
create table data_point_series_archive (id uuid primary key default gen_random_uuid(), data_source_id uuid not null,
  series_type_definition_id integer not null, bucket_start_at timestamptz not null, aggregation_type varchar(32) not null,
  value numeric(10, 3) not null, sample_count integer not null, created_at timestamptz not null default now(),
  unique (data_source_id, series_type_definition_id, bucket_start_at, aggregation_type));
create table event_record (id uuid primary key, external_id varchar(100), data_source_id uuid not null, category varchar(32) not null,
  type varchar(32), source_name varchar(64) not null default '', duration_seconds integer, start_datetime timestamptz not null,
  end_datetime timestamptz not null, zone_offset varchar(10), created_at timestamptz not null default now());
create index on event_record (data_source_id, category);
create table workout_details (record_id uuid primary key, detail_type varchar(32) not null default 'workout', heart_rate_min integer,
  heart_rate_max integer, heart_rate_avg numeric(10, 3), energy_burned numeric(10, 3), distance numeric(10, 3), steps_count integer,
  max_speed numeric(10, 3), max_watts numeric(10, 3), moving_time_seconds integer, total_elevation_gain numeric(10, 3),
  average_speed numeric(10, 3), average_watts numeric(10, 3), elev_high numeric(10, 3), elev_low numeric(10, 3),
  average_cadence numeric(5, 2), segments jsonb, hr_zones jsonb, power_zones jsonb, created_at timestamptz not null default now());
create table sleep_details (record_id uuid primary key, detail_type varchar(32) not null default 'sleep', sleep_total_duration_minutes integer,
  sleep_time_in_bed_minutes integer, sleep_efficiency_score numeric(5, 2), sleep_deep_minutes integer, sleep_rem_minutes integer,
  sleep_light_minutes integer, sleep_awake_minutes integer, is_nap boolean default false, sleep_stages jsonb,
  created_at timestamptz not null default now());
create table menstrual_cycle_details (record_id uuid primary key, detail_type varchar(32) not null default 'menstrual_cycle',
  day_in_cycle integer, current_phase integer, current_phase_type varchar(32), length_of_current_phase integer, days_until_next_phase integer,
  predicted_cycle_length integer, is_predicted_cycle boolean, cycle_length integer, last_updated_at timestamptz,
  has_specified_cycle_length boolean, has_specified_period_length boolean, period_length integer, fertile_window_start integer,
  length_of_fertile_window integer, pregnancy_snapshot jsonb, created_at timestamptz not null default now());
create table health_score (id uuid primary key, user_id uuid not null, data_source_id uuid, provider varchar(50) not null,
  category varchar(32) not null, value numeric(6, 3), qualifier varchar(32), recorded_at timestamptz not null, zone_offset varchar(10),
  components jsonb, created_at timestamptz not null default now(), unique (user_id, provider, category, recorded_at));
create table provider_priority (id uuid primary key default gen_random_uuid(), provider varchar(50) not null unique, priority integer not null);
create table device_type_priority (id uuid primary key default gen_random_uuid(), device_type varchar(32) not null unique,
  priority integer not null);
create table app_setting (key varchar(64) primary key, value varchar);
create table alembic_version (version_num varchar(32) primary key);
insert into alembic_version values ('dc5ac28c4b94');
`;

/** The definitions that the rows of tests use: the id, code and unit of each. */
const definitions: readonly (readonly [number, string, string])[] = [
  [1, 'heart_rate', 'bpm'],
  [2, 'resting_heart_rate', 'bpm'],
  [21, 'oxygen_saturation', 'percent'],
  [24, 'respiratory_rate', 'brpm'],
  [41, 'weight', 'kg'],
  [80, 'steps', 'count'],
  [81, 'energy', 'kcal'],
  [83, 'flights_climbed', 'count'],
  [100, 'distance_walking_running', 'meters'],
  [183, 'latitude', 'degrees'],
  [220, 'garmin_stress_level', 'score'],
  [900, 'never_heard_of', 'count'],
];

/** Makes the database, which is dropped with the test. `name` may be given to make one that a killed test left anew. */
export async function sourceDatabase(t: Test): Promise<SourceDatabase> {
  const name = `source_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client({ connectionString: adminUrl() });
  await admin.connect();
  await admin.query(`create database ${name}`);
  const url = new URL(adminUrl());
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 2 });
  pool.on('error', () => undefined);
  t.teardown(async () => {
    await pool.end();
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.end();
  });
  const query = async <T extends pg.QueryResultRow>(statement: string, values: readonly unknown[] = []) =>
    (await pool.query<T>(statement, [...values])).rows;
  await query(schema);
  for (const definition of definitions)
    await query('insert into series_type_definition (id, code, unit) values ($1, $2, $3)', definition);
  return { url: url.href, query };
}
