drop index users.person_erased;
drop table users.former_account;
alter table users.list_total drop column folded_at, drop column analyzed_at;
do $$
declare
  private record;
begin
  for private in
    select c.oid::regclass as relation, a.attname as name
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
    execute format('alter table %s alter column %I set statistics -1', private.relation, private.name);
  end loop;
end $$;
