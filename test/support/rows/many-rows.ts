/** The number of rows per statement. */
export const rowsPerStatement = 5000;

const people = `generate_series(1, ${rowsPerStatement}) i`;
const days = `timestamptz '2025-03-01' + i * interval '12 minutes'`;

/**
 * Statements that fill every table that grows with the number of users or with time, for other users than those of a test:
 * so many rows that PostgreSQL uses an index unless a query prevents it.
 */
export const fillStatements: readonly string[] = [
  `insert into users.person (first_name, email) select 'Crowd ' || i, 'c' || i || '@example.com' from ${people}`,
  `insert into users.connection (user_id, provider, provider_user_id, status, scope)
   select id, 'devicemaker', 'crowd-' || id, 'active', '{}' from users.person where email like 'c%'`,
  `insert into auth.api_key (hash, name, created_by) select md5(i::text), 'crowd', gen_random_uuid() from ${people}`,
  `insert into auth.family (id, user_id, issued_by, expires_at)
   select gen_random_uuid(), gen_random_uuid(), 'crowd', now() + interval '1 day' from ${people}`,
  `insert into auth.refresh_token (hash, family_id) select md5(id::text), id from auth.family where issued_by = 'crowd'`,
  `insert into auth.rate_window (subject, started_at, count) select gen_random_uuid(), now(), 1 from ${people}`,
  `insert into auth.audit_entry (action, subject_id) select 'key.create', gen_random_uuid() from ${people}`,
  `insert into deliveries.delivery (provider, kind, state, received_at, done_at, headers, body)
   select 'devicemaker', 'push', 'done', now(), now(), '{}', '{}' from ${people}`,
  `insert into deliveries.received_minute (minute, provider, process, deliveries, records, samples)
   select now() - i * interval '30 seconds', 'devicemaker', gen_random_uuid(), 1, 1, 1 from ${people}`,
  `insert into deliveries.progress (delivery_id, entry, result) select id, 'crowd', '{}' from deliveries.delivery`,
  `insert into backfill.run (connection_id, user_id, provider, connected_at, start_time, end_time, state, finished_at)
   select gen_random_uuid(), gen_random_uuid(), 'devicemaker', now(), now(), now(), 'done', now() from ${people}`,
  `insert into backfill.step (run_id, position, type, start_time, end_time, state)
   select id, 0, 'dailies', now(), now(), 'received' from backfill.run`,
  `insert into activitynet.activity (user_id, object_id, connection_id, turn, fetched_at)
   select gen_random_uuid(), i, gen_random_uuid(), i, now() from ${people}`,
  `insert into activitynet.listing (purpose, connection_id, user_id, start_time, end_time, state, finished_at)
   select 'backfill', gen_random_uuid(), gen_random_uuid(), now(), now(), 'done', now() from ${people}`,
  `insert into connect.attempt (state_hash, user_id, provider, callback_uri, expires_at)
   select md5(i::text), gen_random_uuid(), 'devicemaker', 'x', now() + interval '1 hour' from ${people}`,
  `insert into connect.consent (user_id, provider, kind, scopes)
   select gen_random_uuid(), 'devicemaker', 'provider', '{}' from ${people}`,
  `insert into auth.access (user_id, hour, kind, actor, project_id, count)
   select gen_random_uuid(), date_trunc('hour', now()), 'sleep', 'api_key:crowd', 'default', 1 from ${people}`,
  `insert into auth.access_total (project_id, day, actor, kind, count)
   select 'default', current_date, 'api_key:' || i, 'sleep', 1 from ${people}`,
  // each of many kinds, so that reads of one kind use an index
  `insert into jobs.job (kind, key, run_at)
   select 'crowd.work' || i % 20, i::text, now() + interval '1 day' from ${people}`,
  `insert into gateway.idempotent_answer (caller, route, key_hash, request)
   select 'crowd', 'x', md5(i::text)::bytea, 'x' from ${people}`,
  `insert into timeseries.workout (id, user_id, provider, key, device, type, raw_type, name, start_time, end_time,
     zone_offset_minutes, local_date, duration_seconds, is_parent)
   select gen_random_uuid(), gen_random_uuid(), 'devicemaker', i::text, 'd', 'running', 'RUNNING', 'n', ${days},
     ${days}, 0, '2025-03-10', 60, false from ${people}`,
  `insert into timeseries.sleep_session (id, user_id, provider, key, device, start_time, end_time,
     zone_offset_minutes, date, is_nap, rank, asleep_seconds)
   select gen_random_uuid(), gen_random_uuid(), 'devicemaker', i::text, 'd', ${days}, ${days}, 0, '2025-03-10',
     false, 0, 60 from ${people}`,
  `insert into timeseries.other_record (id, user_id, provider, type, key, device, start_time, end_time,
     zone_offset_minutes, local_date, data)
   select gen_random_uuid(), gen_random_uuid(), 'devicemaker', 'moveiq', i::text, 'd', ${days}, ${days}, 0,
     '2025-03-10', '{}' from ${people}`,
  `insert into timeseries.provider_day (id, user_id, provider, key, device, date, start_time, zone_offset_minutes,
     duration_seconds)
   select gen_random_uuid(), gen_random_uuid(), 'devicemaker', i::text, 'd', '2025-03-10', ${days}, 0, 60
   from ${people}`,
  `insert into timeseries.day_value (id, user_id, provider, data_type, key, device, date, start_time, duration_seconds, vals)
   select gen_random_uuid(), gen_random_uuid(), 'devicemaker', 'dailies', i::text, 'd', '2025-03-10', ${days}, 60, '{}'
   from ${people}`,
  `insert into timeseries.score (id, user_id, provider, data_type, key, kind, device, date, start_time, end_time, value, components)
   select gen_random_uuid(), gen_random_uuid(), 'devicemaker', 'scores', i::text, 'strain', 'd', '2025-03-10', ${days}, ${days}, 1, '{}'
   from ${people}`,
  `insert into timeseries.epoch_part (user_id, provider, start_time, activity_type, device, zone_offset_minutes,
     local_date, vals)
   select gen_random_uuid(), 'devicemaker', ${days}, 'WALKING', 'd', 0, '2025-03-10', '{}' from ${people}`,
  `insert into timeseries.item (user_id, provider, data_type, key, duration_seconds, hash, is_first, record_ids)
   select gen_random_uuid(), 'devicemaker', 'dailies', i::text, 60, 'x', true, '{}' from ${people}`,
  `insert into timeseries.clock_day (user_id, day, zone_offset_minutes, hours)
   select gen_random_uuid(), '2025-03-10', 0, 1 from ${people}`,
  `insert into timeseries.placed_span (user_id, provider, start_time, end_time)
   select gen_random_uuid(), 'whoop', ${days}, ${days} from ${people}`,
  `insert into timeseries.tombstone (user_id, series_ids, finished_at)
   select gen_random_uuid(), '{}', now() from ${people}`,
  `insert into changes.user_sequence (user_id, last) select gen_random_uuid(), 1 from ${people}`,
  `insert into changes.change (user_id, sequence, type, object, historical, n, data, recorded_at)
   select gen_random_uuid(), 1, 'workout.created', i::text, false, 0, '{}', now() from ${people}`,
  `insert into changes.pending (user_id, kind, object, historical, n, published_at)
   select gen_random_uuid(), 'workout', i::text, false, 0, now() from ${people}`,
  `insert into webhooks.endpoint (url, secret, enabled) values ('https://app.example/', 'x', false)`,
  `insert into webhooks.message (endpoint_id, change_id, type, state, recorded_at)
   select e.id, i, 'workout.created', 'delivered', now() from webhooks.endpoint e, ${people}`,
  `insert into webhooks.attempt (message_id, number, status, duration_ms) select id, 1, 200, 10 from webhooks.message`,
  `insert into timeseries.series (user_id, type_id, provider, device)
   select gen_random_uuid(), 1, 'devicemaker', 'd' from ${people}`,
  `insert into timeseries.interval_set (user_id, provider, ranked_by)
   select gen_random_uuid(), 'devicemaker', (select max(ranked_by) from timeseries.interval_set) from ${people}`,
  `insert into timeseries.interval_source (set_id, device_type, device_id, app, device)
   select id, 'watch', 'd', '', 'd' from timeseries.interval_set`,
  `insert into timeseries.interval_series (series_id, source_id, longest_ms, min_offset_minutes, max_offset_minutes)
   select id, id, 60000, 0, 0 from timeseries.series where type_id = 1`,
  `insert into timeseries.interval_value (set_id, series_id, start_time, value, key, duration_ms, zone_offset_minutes)
   select i, i, ${days}, 1, gen_random_uuid(), 60000, 0 from ${people}`,
  `insert into timeseries.deleted_interval (set_id, key)
   select id, gen_random_uuid() from timeseries.interval_set`,
  `insert into timeseries.source_priority (user_id, type_id, device_types)
   select gen_random_uuid(), 0, '{watch}' from ${people}`,
  `insert into timeseries.route_privacy (user_id, version) select gen_random_uuid(), 1 from ${people}`,
  `insert into timeseries.workout_detail (workout_id, user_id) select id, user_id from timeseries.workout
   on conflict do nothing`,
  `insert into timeseries.workout_track (workout_id, user_id, data_type, hash, chunk, start_time, end_time, points, located, times)
   select id, user_id, 'activityDetails', 'h', 0, start_time, end_time, 1, 1, '' from timeseries.workout`,
  // every 48 minutes of 66 days, so that each row is an hour of its own and few share a local day
  `insert into timeseries.sample (series_id, zone_offset_minutes, ts, value)
   select 1000000 + n, 0, timestamptz '2025-02-10' + i * interval '48 minutes', 60
   from generate_series(1, 20) n, generate_series(1, 2000) i`,
];

/** Tables that may be scanned, because they are small or the answer contains all of their rows. */
export const smallTables: ReadonlySet<string> = new Set(['api_key', 'application', 'developer']);
