-- When the list of users was folded last, and when the planner's statistics of users and connections were renewed
-- last: both keep values of users until then, also of those who changed them or were erased.
alter table users.list_total add column folded_at timestamptz, add column analyzed_at timestamptz;
create index person_erased on users.person (erased_at) where erased_at is not null;

-- Accounts that a connection was linked to before it was linked to another one: raw deliveries may hold items of them.
create table users.former_account (
  user_id uuid not null references users.person on delete cascade,
  provider text not null,
  provider_user_id text not null,
  left_at timestamptz not null default now(),
  primary key (user_id, provider, provider_user_id)
);

alter table users.former_account alter column provider_user_id set statistics 0;

-- ANALYZE copies values of a column into pg_statistic, where they outlive their row until the next ANALYZE. No
-- statement filters by the columns below, or it does beside a user's id, so the planner needs no statistics of them.
-- Setting a column's type to what it is removes what was gathered before; it rewrites nothing.
do $$
declare
  private record;
begin
  for private in
    select c.oid::regclass as relation, a.attname as name, format_type(a.atttypid, a.atttypmod) as type
    from (values
      ('users.connection', array['access_token', 'refresh_token', 'privacy']),
      ('users.farewell', array['provider_user_id', 'access_token', 'refresh_token']),
      ('users.list_fence', array['key']),
      ('users.list_change', array['email_key', 'first_name_key', 'last_name_key']),
      ('deliveries.delivery', array['headers', 'answer', 'body']),
      ('deliveries.progress', array['body', 'result']),
      ('deliveries.erasure', array['provider_user_id']),
      ('activitynet.activity', array['object_id', 'streams_for']),
      ('connect.attempt', array['redirect_uri', 'callback_uri', 'verifier']),
      ('gateway.idempotent_answer', array['request', 'answer']),
      ('timeseries.series', array['device']),
      ('timeseries.item', array['key', 'hash', 'pending_hash', 'duration_seconds']),
      ('timeseries.activity_block', array['key', 'times', 'vals']),
      ('timeseries.sample', array['value']),
      ('timeseries.sample_hour', array['sum', 'min', 'max', 'last', 'energy']),
      ('timeseries.sample_local_day', array['sum', 'min', 'max']),
      ('timeseries.workout', array['key', 'parent_id', 'device', 'name', 'duration_seconds', 'moving_seconds',
        'calories_kcal', 'distance_meters', 'avg_heart_rate_bpm', 'max_heart_rate_bpm', 'avg_pace_sec_per_km', 'elevation_gain_meters',
        'steps', 'parts']),
      ('timeseries.sleep_session', array['key', 'device', 'asleep_seconds', 'deep_seconds', 'light_seconds',
        'rem_seconds', 'awake_seconds', 'unmeasurable_seconds', 'interruptions', 'score']),
      ('timeseries.provider_day', array['key', 'device', 'duration_seconds', 'steps', 'distance_meters',
        'floors_climbed', 'active_seconds', 'moderate_seconds', 'vigorous_seconds', 'active_calories_kcal', 'basal_calories_kcal',
        'avg_heart_rate_bpm', 'min_heart_rate_bpm', 'max_heart_rate_bpm', 'pushes', 'consumed_calories_kcal']),
      ('timeseries.epoch_part', array['device', 'active_seconds', 'vals']),
      ('timeseries.other_record', array['key', 'device', 'data'])
    ) t (name, columns)
    join pg_class c on c.oid = t.name::regclass
    join pg_attribute a on a.attrelid = c.oid and a.attname = any(t.columns)
  loop
    execute format('alter table %s alter column %I set statistics 0', private.relation, private.name);
    execute format('alter table %s alter column %I type %s', private.relation, private.name, private.type);
  end loop;
end $$;
