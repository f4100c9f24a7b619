import { createHash, randomUUID } from 'node:crypto';
import type { SourceDatabase } from './source-database.ts';

/** Values of columns by name. */
type Values = Readonly<Record<string, unknown>>;

/** Inserts a row. */
export async function insert(database: SourceDatabase, table: string, values: Values): Promise<void> {
  const names = Object.keys(values);
  const places = names.map((_, index) => `$${index + 1}`);
  await database.query(
    `insert into "${table}" (${names.join(', ')}) values (${places.join(', ')})`,
    Object.values(values),
  );
}

async function insertWithId(database: SourceDatabase, table: string, values: Values): Promise<string> {
  const id = randomUUID();
  await insert(database, table, { id, ...values });
  return id;
}

export const addUser = (database: SourceDatabase, values: Values = {}) =>
  insertWithId(database, 'user', values);

export const addSource = (database: SourceDatabase, user_id: string, provider: string, values: Values = {}) =>
  insertWithId(database, 'data_source', { user_id, provider, ...values });

/** Ids of definitions: see source-database.ts. */
export const seriesIds = { heartRate: 1, weight: 41, steps: 80, latitude: 183, unheardOf: 900 } as const;

/** Samples of one series at equal distances. */
export interface Samples {
  readonly source: string;
  readonly series: number;
  readonly start: string;
  readonly count: number;
  readonly step_seconds: number;
  readonly zone_offset?: string | null;
}

export async function addSamples(
  database: SourceDatabase,
  { source, series, start, count, step_seconds, zone_offset = '+02:00' }: Samples,
): Promise<void> {
  await database.query(
    `insert into data_point_series (data_source_id, series_type_definition_id, recorded_at, zone_offset, value)
     select $1, $2, $3::timestamptz + i * $5 * interval '1 second', $6, 60 + (i * 7) % 50 + 0.125 from generate_series(0, $4::int - 1) i`,
    [source, series, start, count, step_seconds, zone_offset],
  );
}

export const addRecord = (database: SourceDatabase, source: string, values: Values) =>
  insertWithId(database, 'event_record', { data_source_id: source, ...values });

/** What the rows of an installation are, as far as tests name it. */
export interface Installation {
  readonly ada: string;
  readonly bob: string;
  readonly carol: string;
  readonly garmin: string;
  readonly workout: string;
  readonly night: string;
  readonly key: string;
  readonly token: string;
}

/** Users, credentials, connections and data of each kind, with rows as they should not be. */
export async function addInstallation(database: SourceDatabase): Promise<Installation> {
  const ada = await addUser(database, {
    ...{ first_name: 'Ada', last_name: 'Jones', email: 'shared@example.com', external_user_id: 'ext-ada' },
    created_at: '2025-02-03T04:05:06Z',
  });
  const bob = await addUser(database, { first_name: ' Bob ', email: 'shared@example.com' });
  const carol = await addUser(database, {
    first_name: '\u0001odd\u202e',
    email: `${'c'.repeat(400)}@example.com`,
  });
  const credentials = await addCredentials(database, ada);
  await addConnections(database, { ada, bob, carol });
  const garmin = await addSource(database, ada, 'garmin', {
    device_model: 'Forerunner 965',
    device_type: 'watch',
  });
  const apple = await addSource(database, bob, 'apple', { device_model: 'Watch7,1', device_type: 'watch' });
  const nameless = await addSource(database, bob, 'whoop');
  const unknown = await addSource(database, carol, 'sensorbio', { device_model: 'Patch' });
  for (const provider of ['oura', 'polar', 'suunto', 'strava', 'samsung', 'google', 'fitbit', 'ultrahuman'])
    await addSamples(database, {
      ...{ source: await addSource(database, carol, provider), series: seriesIds.heartRate },
      ...{ start: '2026-03-02T10:00:00Z', count: 5, step_seconds: 60 },
    });
  await addSampleRows(database, { garmin, apple, nameless, unknown });
  const records = await addRecords(database, { garmin, apple, nameless });
  await addOrphans(database);
  await addReportedRows(database, ada);
  return { ada, bob, carol, garmin, ...credentials, ...records };
}

async function addCredentials(database: SourceDatabase, ada: string) {
  const [key, token] = [`sk-${hex('key')}`, `rt-${hex('token')}`];
  await insert(database, 'api_key', { id: key, name: 'Backend', created_at: '2025-05-05T00:00:00Z' });
  await insertWithId(database, 'application', {
    ...{ app_id: `app_${hex('application')}`, name: 'App', app_secret_hash: 'no bcrypt hash' },
  });
  await insert(database, 'refresh_token', { id: token, token_type: 'sdk', user_id: ada });
  await insert(database, 'refresh_token', {
    ...{ id: `rt-${hex('revoked')}`, token_type: 'sdk', user_id: ada, revoked_at: '2026-01-01T00:00:00Z' },
  });
  await insert(database, 'refresh_token', {
    ...{ id: `rt-${hex('developer')}`, token_type: 'developer', developer_id: randomUUID() },
  });
  return { key, token };
}

const hex = (text: string) => createHash('md5').update(text).digest('hex');

async function addConnections(
  database: SourceDatabase,
  { ada, bob, carol }: Pick<Installation, 'ada' | 'bob' | 'carol'>,
): Promise<void> {
  const expiry = '2027-01-01T00:00:00Z';
  const add = (values: Values) => insertWithId(database, 'user_connection', { status: 'active', ...values });
  await add({
    ...{ user_id: ada, provider: 'garmin', provider_user_id: 'garmin-1', access_token: 'access-of-garmin' },
    ...{ refresh_token: 'refresh-of-garmin', token_expires_at: expiry, scope: 'A B' },
  });
  await add({
    user_id: ada,
    provider: 'strava',
    provider_user_id: '77',
    status: 'revoked',
    access_token: 'gone',
  });
  await add({
    ...{ user_id: ada, provider: 'fitbit', provider_user_id: 'F1', access_token: 'old-api' },
    ...{ refresh_token: 'old-refresh', token_expires_at: expiry, scope: 'heartrate sleep' },
  });
  await add({ user_id: ada, provider: 'polar', provider_user_id: 'p1', status: 'toString' });
  await add({ user_id: bob, provider: 'apple' });
  await add({ user_id: bob, provider: 'samsung' });
  await add({ user_id: carol, provider: 'sensorbio', provider_user_id: 's1', access_token: 'x' });
}

async function addSampleRows(
  database: SourceDatabase,
  sources: Readonly<Record<'garmin' | 'apple' | 'nameless' | 'unknown', string>>,
): Promise<void> {
  const { garmin, apple, nameless, unknown } = sources;
  const heartRate = { series: seriesIds.heartRate, step_seconds: 60 };
  // Two weeks, across the border of a week and of a day.
  await addSamples(database, { source: garmin, ...heartRate, start: '2026-03-01T22:00:00Z', count: 300 });
  await addSamples(database, {
    source: garmin,
    ...heartRate,
    start: '2026-03-20T08:00:00Z',
    count: 100,
    zone_offset: null,
  });
  await addSamples(database, {
    source: apple,
    ...heartRate,
    start: '2026-03-02T08:00:00Z',
    count: 50,
    zone_offset: '-0330',
  });
  await addSamples(database, {
    source: nameless,
    ...heartRate,
    start: '2026-03-02T08:00:00Z',
    count: 20,
    zone_offset: 'local',
  });
  await addSamples(database, {
    source: garmin,
    series: seriesIds.unheardOf,
    start: '2026-03-02T08:00:00Z',
    count: 7,
    step_seconds: 1,
  });
  await addSamples(database, {
    source: garmin,
    series: seriesIds.latitude,
    start: '2026-03-02T08:00:00Z',
    count: 3,
    step_seconds: 1,
  });
  await addSamples(database, { source: unknown, ...heartRate, start: '2026-03-02T08:00:00Z', count: 11 });
  const steps = { data_source_id: garmin, series_type_definition_id: seriesIds.steps };
  const sample = (values: Values) => insert(database, 'data_point_series', { ...steps, ...values });
  await sample({ recorded_at: '2026-03-02T10:00:00Z', value: 120, zone_offset: '+02:00' });
  await sample({
    recorded_at: '2026-03-02T21:59:30Z',
    value: 9000,
    zone_offset: '+02:00',
    is_daily_total: true,
  });
  await sample({ recorded_at: 'infinity', value: 1 });
  await sample({ recorded_at: '1971-01-01T00:00:00Z', value: 1 });
  for (const [day, value] of [
    ['2024-05-01', 5000],
    ['2026-03-02', 120],
  ] as const)
    await insert(database, 'data_point_series_archive', {
      ...{ ...steps, bucket_start_at: `${day}T00:00:00Z`, aggregation_type: 'sum', value, sample_count: 40 },
    });
}

async function addRecords(
  database: SourceDatabase,
  { garmin, apple, nameless }: Readonly<Record<'garmin' | 'apple' | 'nameless', string>>,
) {
  const workout = await addRecord(database, garmin, {
    ...{
      external_id: '123456',
      category: 'workout',
      type: 'running',
      source_name: 'Garmin',
      zone_offset: '+02:00',
    },
    ...{
      start_datetime: '2026-03-02T06:00:00Z',
      end_datetime: '2026-03-02T07:00:00Z',
      duration_seconds: 3600,
    },
  });
  await insert(database, 'workout_details', {
    ...{
      record_id: workout,
      heart_rate_avg: 141.5,
      heart_rate_max: 177,
      energy_burned: 640,
      distance: 10_123.4,
    },
    ...{ steps_count: 9800, segments: '[]' },
  });
  await addRecord(database, apple, {
    ...{ category: 'workout', type: 'underwater_chess', source_name: 'Apple', duration_seconds: 0 },
    ...{ start_datetime: '2026-03-03T07:00:00Z', end_datetime: '2026-03-03T06:00:00Z' },
  });
  const night = await addRecord(database, garmin, {
    ...{ external_id: 'night-1', category: 'sleep', source_name: 'Garmin', zone_offset: '+02:00' },
    ...{
      start_datetime: '2026-03-02T21:00:00Z',
      end_datetime: '2026-03-03T05:00:00Z',
      duration_seconds: 28_800,
    },
  });
  await insert(database, 'sleep_details', {
    ...{
      record_id: night,
      sleep_total_duration_minutes: 450,
      sleep_deep_minutes: 90,
      sleep_rem_minutes: 100,
    },
    ...{ sleep_light_minutes: 260, sleep_awake_minutes: 30, is_nap: false },
    sleep_stages: JSON.stringify([
      { stage: 'light', start_time: '2026-03-02T21:00:00Z', end_time: '2026-03-02T23:00:00Z' },
      { stage: 'deep', start_time: '2026-03-02T23:00:00Z', end_time: '2026-03-03T00:30:00Z' },
    ]),
  });
  await addRecord(database, nameless, {
    ...{ external_id: 'w-night', category: 'sleep', source_name: 'Whoop' },
    ...{ start_datetime: '2026-03-02T22:00:00Z', end_datetime: '2026-03-03T04:00:00Z' },
  });
  const cycle = await addRecord(database, garmin, {
    ...{ category: 'menstrual_cycle', source_name: 'Garmin' },
    ...{ start_datetime: '2026-03-01T00:00:00Z', end_datetime: '2026-03-02T00:00:00Z' },
  });
  await insert(database, 'menstrual_cycle_details', { record_id: cycle, day_in_cycle: 3, cycle_length: 28 });
  return { workout, night };
}

async function addOrphans(database: SourceDatabase): Promise<void> {
  const lost = randomUUID();
  await addSamples(database, {
    ...{
      source: lost,
      series: seriesIds.heartRate,
      start: '2026-03-02T08:00:00Z',
      count: 4,
      step_seconds: 60,
    },
  });
  const stranger = await addSource(database, randomUUID(), 'garmin');
  await addSamples(database, {
    ...{
      source: stranger,
      series: seriesIds.heartRate,
      start: '2026-03-02T08:00:00Z',
      count: 6,
      step_seconds: 60,
    },
  });
  await insert(database, 'workout_details', { record_id: randomUUID() });
}

async function addReportedRows(database: SourceDatabase, ada: string): Promise<void> {
  await insertWithId(database, 'personal_record', { user_id: ada, birth_date: '1990-01-01', sex: true });
  await insertWithId(database, 'developer', { email: 'dev@example.com', hashed_password: 'x' });
  const score = { user_id: ada, recorded_at: '2026-03-03T06:00:00Z', zone_offset: '+02:00' };
  await insertWithId(database, 'health_score', {
    ...score,
    provider: 'internal',
    category: 'sleep',
    value: 80,
  });
  await insertWithId(database, 'health_score', {
    ...score,
    provider: 'garmin',
    category: 'sleep',
    value: 77,
    qualifier: 'GOOD',
  });
  await insert(database, 'provider_priority', { provider: 'oura', priority: 1 });
  await insert(database, 'provider_priority', { provider: 'garmin', priority: 2 });
  await insert(database, 'device_type_priority', { device_type: 'watch', priority: 1 });
}
