create schema changes;

create sequence changes.place;

create function changes.external_id(whose uuid) returns text language plpgsql stable security definer set search_path to '' as $$
begin
  return (select external_user_id from users.person where id = whose);
end $$;

create function changes.is_erased(whose uuid) returns boolean language plpgsql stable security definer set search_path to '' as $$
begin
  return exists (select from timeseries.tombstone where user_id = whose)
    or exists (select from users.person where id = whose and deleted_at is not null);
end $$;

create function changes.join_pending(whose uuid, of_kind text, what text, of_object text, is_historical boolean, details jsonb, from_time timestamptz, until_time timestamptz, values_written bigint, due timestamptz) returns void language plpgsql as $$
declare
  is_series boolean := of_kind = 'timeseries';
  is_removal boolean := what = 'deleted' and of_kind <> 'user';
begin
  insert into changes.pending as p (user_id, kind, object, action, historical, first_at, last_at, n, data, due_at)
  values (whose, of_kind, of_object, what, is_historical, from_time, until_time, values_written, details, due)
  on conflict (user_id, kind, object) do update set
    action = case
      when p.action = 'created' and is_removal then null
      when p.action = 'created' and excluded.action = 'updated' then 'created'
      when p.action = 'deleted' and excluded.action = 'created' then 'updated'
      else excluded.action end,
    place = case when p.action is null then nextval('changes.place') else p.place end,
    historical = excluded.historical and (p.historical or p.action is null),
    first_at = case
      when p.action is null or not is_series then excluded.first_at
      when p.first_at is null or excluded.first_at is null then null
      else least(p.first_at, excluded.first_at) end,
    last_at = case
      when p.action is null or not is_series then excluded.last_at
      when p.last_at is null or excluded.last_at is null then null
      else greatest(p.last_at, excluded.last_at) end,
    n = case when p.action is null then excluded.n else p.n + excluded.n end,
    data = excluded.data,
    recorded_at = case when p.action is null then excluded.recorded_at else p.recorded_at end,
    published_at = case when p.action = 'created' and is_removal then coalesce(p.published_at, now()) else p.published_at end,
    due_at = case
      when p.action = 'created' and is_removal then null
      when p.due_at is not null then least(p.due_at, excluded.due_at)
      else greatest(excluded.due_at,
        p.published_at + (select case when is_historical then j.historical else j.live end from changes.joining j)) end;
end $$;

create function changes.lock_publishing(wait boolean) returns boolean language plpgsql as $$
begin
  if not wait then return pg_try_advisory_xact_lock(7358); end if;
  perform pg_advisory_xact_lock(7358);
  return true;
end $$;

create function changes.of_backfill() returns trigger language plpgsql security definer set search_path to '' as $$
declare
  is_open boolean := new.state in ('running', 'listing', 'fetching');
  of_provider text := case tg_table_schema when 'backfill' then to_jsonb(new) ->> 'provider' else tg_table_schema end;
begin
  if tg_op = 'UPDATE' and new.id = old.id and is_open = (old.state in ('running', 'listing', 'fetching')) then return null; end if;
  -- Start and end are objects of their own, so that they are not joined.
  perform changes.record(new.user_id, 'backfill', case when is_open then 'started' else 'completed' end,
    new.id || case when is_open then '' else ':end' end, null,
    jsonb_build_object('backfill_id', new.id, 'connection_id', new.connection_id, 'provider', of_provider)
      || case when is_open then '{}' else jsonb_build_object('status', new.state) end, new.start_time, new.end_time);
  return null;
end $$;

create function changes.of_backfill_type() returns trigger language plpgsql security definer set search_path to '' as $$
begin
  if new.state in ('waiting', 'requested') or old.state not in ('waiting', 'requested') then return null; end if;
  perform changes.record(r.user_id, 'backfill', 'type_completed', r.id || ':' || new.type, null,
    jsonb_build_object('backfill_id', r.id, 'connection_id', r.connection_id, 'provider', r.provider, 'data_type', new.type))
  from backfill.run r where r.id = new.run_id and r.state = 'running' and not exists (
    select from backfill.step s where s.run_id = r.id and s.type = new.type and s.state in ('waiting', 'requested'));
  return null;
end $$;

create function changes.of_connection() returns trigger language plpgsql security definer set search_path to '' as $$
declare
  what text := case new.status when 'active' then 'created' else new.status end;
  -- Errors are an object of their own, so that they are not joined with the states of the connection.
  of_object text := new.id::text;
begin
  if tg_op = 'UPDATE' and (new.status, new.connected_at) is not distinct from (old.status, old.connected_at) then
    if new.status <> 'active' or new.status_reason is not distinct from old.status_reason then return null; end if;
    of_object := new.id || ':error';
    what := case when new.status_reason is null then 'recovered' else 'error' end;
  end if;
  if exists (select from users.person where id = new.user_id and deleted_at is not null) then return null; end if;
  perform changes.record(new.user_id, 'connection', what, of_object, null,
    jsonb_build_object('connection_id', new.id, 'provider', new.provider)
      || case what when 'error' then jsonb_build_object('reason', new.status_reason) else '{}' end);
  return null;
end $$;

create function changes.of_day() returns trigger language plpgsql security definer set search_path to '' as $$
declare
  day date;
  whose uuid := case when tg_op = 'DELETE' then old.user_id else new.user_id end;
  days date[];
begin
  if changes.is_erased(whose) then return null; end if;
  if tg_op = 'UPDATE' and new is not distinct from old then return null; end if;
  if tg_table_name = 'workout' then
    if tg_op <> 'INSERT' then days := days || old.local_date || old.counted_on; end if;
    if tg_op <> 'DELETE' then days := days || new.local_date || new.counted_on; end if;
  else
    if tg_op <> 'INSERT' then days := days || old.date; end if;
    if tg_op <> 'DELETE' then days := days || new.date; end if;
  end if;
  for day in select distinct d from unnest(days) d where d is not null order by d loop
    perform changes.record(whose, 'activity_summary', 'updated', day::text, day + 1, jsonb_build_object('date', day));
  end loop;
  return null;
end $$;

create function changes.of_day_value() returns trigger language plpgsql security definer set search_path to '' as $$
declare
  day date;
  whose uuid := case when tg_op = 'DELETE' then old.user_id else new.user_id end;
  days date[];
begin
  if changes.is_erased(whose) then return null; end if;
  if tg_op = 'UPDATE' and new is not distinct from old then return null; end if;
  if tg_op <> 'INSERT' then days := days || old.date; end if;
  if tg_op <> 'DELETE' then days := days || new.date; end if;
  for day in select distinct d from unnest(days) d order by d loop
    perform changes.record(whose, 'day', 'updated', day::text, day + 1, jsonb_build_object('date', day));
  end loop;
  return null;
end $$;

create function changes.of_deleted_samples() returns trigger language plpgsql security definer set search_path to '' as $$
begin
  perform changes.record(s.user_id, 'timeseries', 'updated', s.provider || ':' || s.device || ':' || t.name, g.last_at,
    jsonb_build_object('series_type', t.name, 'provider', s.provider, 'device', s.device), g.first_at, g.last_at, 0)
  from (
    select series_id, min(ts) as first_at, max(ts) as last_at from timeseries.deleted_sample group by series_id) g
  join timeseries.series s on s.id = g.series_id
  join timeseries.series_type t on t.id = s.type_id
  where not changes.is_erased(s.user_id);
  return null;
end $$;

create function changes.of_epoch_parts() returns trigger language plpgsql security definer set search_path to '' as $$
begin
  if tg_op = 'INSERT' then
    perform changes.record_summary(n.user_id, 'activity_summary', n.local_date, n.local_date)
    from (select distinct user_id, local_date from after_rows where sedentary_seconds is not null) n
    where not changes.is_erased(n.user_id);
  elsif tg_op = 'DELETE' then
    perform changes.record_summary(o.user_id, 'activity_summary', o.local_date, o.local_date)
    from (select distinct user_id, local_date from before_rows where sedentary_seconds is not null) o
    where not changes.is_erased(o.user_id);
  else
    perform changes.record_summary(g.user_id, 'activity_summary', g.local_date, g.local_date)
    from (
      select distinct user_id, local_date from (
        select user_id, provider, local_date, sedentary_seconds as was, null::int as seconds from before_rows
        union all
        select user_id, provider, local_date, null, sedentary_seconds from after_rows) c
      group by user_id, provider, local_date having sum(was) is distinct from sum(seconds)) g
    where not changes.is_erased(g.user_id);
  end if;
  return null;
end $$;

create function changes.of_intervals() returns trigger language plpgsql security definer set search_path to '' as $$
begin
  perform changes.record_intervals(g.series_id, g.first_at, g.last_at, case when tg_op = 'DELETE' then 0 else g.n end)
  from (
    select series_id, min(start_time) as first_at, max(start_time + duration_ms * interval '1 millisecond') as last_at,
      count(*) as n
    from written group by series_id) g;
  return null;
end $$;

create function changes.of_local_days() returns trigger language plpgsql security definer set search_path to '' as $$
begin
  perform changes.record_summary(g.user_id, g.summary, g.day, g.last_day)
  from (
    select s.user_id, y.summary, case y.summary when 'activity_summary' then w.date end as day, max(w.date) as last_day
    from written w
    join timeseries.series s on s.id = w.series_id
    join changes.summary_type y on y.type_id = s.type_id
    group by s.user_id, y.summary, case y.summary when 'activity_summary' then w.date end
  ) g
  where not changes.is_erased(g.user_id);
  return null;
end $$;

create function changes.of_moved_intervals() returns trigger language plpgsql security definer set search_path to '' as $$
begin
  perform changes.record_intervals(g.series_id, g.first_at, g.last_at, g.n)
  from (
    select series_id, min(start_time) as first_at, max(start_time + duration_ms * interval '1 millisecond') as last_at,
      sum(n) as n
    from (
      select series_id, start_time, duration_ms, 0 as n from before_rows
      union all select series_id, start_time, duration_ms, 1 from after_rows) c
    group by series_id) g;
  return null;
end $$;

create function changes.of_pulled_backfill() returns trigger language plpgsql security definer set search_path to '' as $$
declare
  is_open boolean := new.state = 'running';
  c pull.connection;
begin
  if tg_op = 'UPDATE' and new.id = old.id and is_open = (old.state = 'running') then return null; end if;
  select * into c from pull.connection p where p.connection_id = new.connection_id;
  perform changes.record(c.user_id, 'backfill', case when is_open then 'started' else 'completed' end,
    new.id || case when is_open then '' else ':end' end, null,
    jsonb_build_object('backfill_id', new.id, 'connection_id', new.connection_id, 'provider', c.provider)
      || case when is_open then '{}' else jsonb_build_object('status', new.state) end, new.start_time, new.end_time);
  return null;
end $$;

create function changes.of_pulled_backfill_type() returns trigger language plpgsql security definer set search_path to '' as $$
begin
  if new.status in ('waiting', 'requested') or old.status not in ('waiting', 'requested') then return null; end if;
  perform changes.record(c.user_id, 'backfill', 'type_completed', r.id || ':' || new.type, null,
    jsonb_build_object('backfill_id', r.id, 'connection_id', new.connection_id, 'provider', c.provider, 'data_type', new.type))
  from pull.run r join pull.connection c using (connection_id)
  where r.connection_id = new.connection_id and r.state = 'running';
  return null;
end $$;

create function changes.of_samples() returns trigger language plpgsql security definer set search_path to '' as $$
begin
  perform changes.record(s.user_id, 'timeseries', 'updated', s.provider || ':' || s.device || ':' || t.name, g.last_at,
    jsonb_build_object('series_type', t.name, 'provider', s.provider, 'device', s.device), g.first_at, g.last_at,
    case when tg_op = 'DELETE' then 0 else g.n end)
  from (select series_id, min(ts) as first_at, max(ts) as last_at, count(*) as n from written group by series_id) g
  join timeseries.series s on s.id = g.series_id
  join timeseries.series_type t on t.id = s.type_id
  where not changes.is_erased(s.user_id);
  return null;
end $$;

create function changes.of_series() returns trigger language plpgsql security definer set search_path to '' as $$
begin
  perform changes.record(s.user_id, 'timeseries', 'updated', s.provider || ':' || s.device || ':' || t.name, null,
    jsonb_build_object('series_type', t.name, 'provider', s.provider, 'device', s.device))
  from removed s join timeseries.series_type t on t.id = s.type_id
  where not changes.is_erased(s.user_id);
  perform changes.record_summary(g.user_id, g.summary, g.day, g.last_day)
  from (
    select s.user_id, y.summary, case y.summary when 'activity_summary' then d.date end as day, max(d.date) as last_day
    from removed s
    join changes.summary_type y on y.type_id = s.type_id
    join timeseries.sample_local_day d on d.series_id = s.id
    group by s.user_id, y.summary, case y.summary when 'activity_summary' then d.date end
  ) g
  where not changes.is_erased(g.user_id);
  return null;
end $$;

create function changes.of_sleep() returns trigger language plpgsql security definer set search_path to '' as $$
declare
  kept timeseries.sleep_session := case when tg_op = 'DELETE' then old else new end;
begin
  if changes.is_erased(kept.user_id) then return null; end if;
  if tg_op = 'UPDATE'
    and (new.start_time, new.end_time, new.date, new.device, new.is_nap, new.asleep_seconds, new.deep_seconds,
      new.light_seconds, new.rem_seconds, new.awake_seconds, new.interruptions, new.stage_intervals,
      new.unmeasurable_seconds, new.score, new.details, new.zone_offset_minutes, new.zone_reported)
    is not distinct from (old.start_time, old.end_time, old.date, old.device, old.is_nap, old.asleep_seconds,
      old.deep_seconds, old.light_seconds, old.rem_seconds, old.awake_seconds, old.interruptions,
      old.stage_intervals, old.unmeasurable_seconds, old.score, old.details, old.zone_offset_minutes,
      old.zone_reported)
  then return null; end if;
  perform changes.record(kept.user_id, 'sleep',
    case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'updated' else 'deleted' end,
    kept.id::text, kept.end_time,
    jsonb_build_object('id', kept.id, 'provider', kept.provider, 'device', kept.device, 'is_nap', kept.is_nap),
    kept.start_time, kept.end_time);
  return null;
end $$;

create function changes.of_sync_type() returns trigger language plpgsql security definer set search_path to '' as $$
begin
  if new.ended_at is null or (tg_op = 'UPDATE' and old.ended_at is not null) then return null; end if;
  perform changes.record(s.user_id, 'backfill', 'type_completed', s.id || ':' || new.type, null,
    jsonb_build_object('backfill_id', s.id, 'connection_id', s.connection_id, 'provider', 'phone', 'data_type', new.type))
  from phone.first_sync s where s.user_id = new.user_id and s.state = 'running';
  return null;
end $$;

create function changes.of_user() returns trigger language plpgsql security definer set search_path to '' as $$
begin
  if tg_op = 'INSERT' then
    perform changes.record(new.id, 'user', 'created', '', null, '{}');
  elsif new.deleted_at is not null and old.deleted_at is null then
    perform changes.record(new.id, 'user', 'deleted', '', null, '{}');
  elsif new.deleted_at is null and (new.first_name, new.last_name, new.email, new.external_user_id, new.time_zone)
    is distinct from (old.first_name, old.last_name, old.email, old.external_user_id, old.time_zone) then
    perform changes.record(new.id, 'user', 'updated', '', null, '{}');
  end if;
  return null;
end $$;

create function changes.of_workout() returns trigger language plpgsql security definer set search_path to '' as $$
declare
  was_listed boolean := false;
  is_listed boolean := false;
  kept timeseries.workout;
begin
  if tg_op <> 'INSERT' then
    was_listed := old.deleted_at is null and old.duplicate_of is null and not old.is_parent;
    kept := old;
  end if;
  if tg_op <> 'DELETE' then
    is_listed := new.deleted_at is null and new.duplicate_of is null and not new.is_parent;
    kept := new;
  end if;
  if not (was_listed or is_listed) or changes.is_erased(kept.user_id) then return null; end if;
  if is_listed and was_listed
    and (new.type, new.name, new.start_time, new.end_time, new.duration_seconds, new.device, new.calories_kcal,
      new.distance_meters, new.avg_heart_rate_bpm, new.max_heart_rate_bpm, new.avg_pace_sec_per_km,
      new.elevation_gain_meters, new.private, new.zone_offset_minutes, new.zone_reported)
    is not distinct from (old.type, old.name, old.start_time, old.end_time, old.duration_seconds, old.device,
      old.calories_kcal, old.distance_meters, old.avg_heart_rate_bpm, old.max_heart_rate_bpm, old.avg_pace_sec_per_km,
      old.elevation_gain_meters, old.private, old.zone_offset_minutes, old.zone_reported)
  then return null; end if;
  perform changes.record(kept.user_id, 'workout',
    case when not was_listed then 'created' when is_listed then 'updated' else 'deleted' end,
    kept.id::text, kept.end_time,
    jsonb_build_object('id', kept.id, 'provider', kept.provider, 'device', kept.device, 'type', kept.type),
    kept.start_time, kept.end_time);
  return null;
end $$;

create function changes.of_workout_detail() returns trigger language plpgsql security definer set search_path to '' as $$
declare
  given timeseries.workout_detail := case when tg_op = 'DELETE' then old else new end;
  kept timeseries.workout;
begin
  if tg_op = 'UPDATE' and new is not distinct from old then return null; end if;
  select * into kept from timeseries.workout
  where id = given.workout_id and deleted_at is null and duplicate_of is null and not is_parent;
  if not found or changes.is_erased(kept.user_id) then return null; end if;
  perform changes.record(kept.user_id, 'workout', 'updated', kept.id::text, kept.end_time,
    jsonb_build_object('id', kept.id, 'provider', kept.provider, 'device', kept.device, 'type', kept.type),
    kept.start_time, kept.end_time);
  return null;
end $$;

create function changes.record(whose uuid, of_kind text, what text, of_object text, at timestamptz, details jsonb, from_time timestamptz default null::timestamptz, until_time timestamptz default null::timestamptz, values_written bigint default 0) returns void language plpgsql as $$
declare
  is_historical boolean := coalesce(at < now() - interval '2 days', false)
    or coalesce(current_setting('changes.historical', true) = 'on', false);
  due timestamptz := now();
begin
  if current_setting('changes.unrecorded', true) = 'on' then return; end if;
  if is_historical then select now() + historical into due from changes.joining; end if;
  insert into changes.pending (user_id, kind, object, action, historical, first_at, last_at, n, data, due_at)
  values (whose, of_kind, of_object, what, is_historical, from_time, until_time, values_written, details, due)
  on conflict (user_id, kind, object) do nothing;
  if not found then
    perform changes.join_pending(whose, of_kind, what, of_object, is_historical, details, from_time, until_time,
      values_written, due);
  end if;
end $$;

create function changes.record_intervals(series integer, first_at timestamptz, last_at timestamptz, n bigint) returns void language plpgsql as $$
begin
  perform changes.record(s.user_id, 'timeseries', 'updated', s.provider || ':' || s.device || ':' || t.name, last_at,
    jsonb_build_object('series_type', t.name, 'provider', s.provider, 'device', s.device), first_at, last_at, n)
  from timeseries.series s join timeseries.series_type t on t.id = s.type_id
  where s.id = series and not changes.is_erased(s.user_id);
end $$;

create function changes.record_summary(whose uuid, summary text, day date, last_day date) returns void language plpgsql as $$
begin
  perform changes.record(whose, summary, 'updated', coalesce(day::text, ''), last_day + 1,
    case when day is null then '{}' else jsonb_build_object('date', day) end);
end $$;

create function changes.project_of(whose uuid) returns text language plpgsql stable security definer set search_path to '' as $$
begin
  return coalesce((select project_id from users.person where id = whose), 'default');
end $$;

create function changes.record_score(whose uuid, what text, score_id uuid, of_kind text, of_provider text, of_device text, day date, from_time timestamptz, until_time timestamptz) returns void language plpgsql as $$
begin
  perform changes.record(whose, 'score', what, score_id::text, greatest(until_time, day + 1),
    jsonb_build_object('id', score_id, 'kind', of_kind, 'provider', of_provider, 'device', of_device, 'date', day),
    from_time, until_time);
end $$;

create function changes.of_score() returns trigger language plpgsql security definer set search_path to '' as $$
declare
  kept timeseries.score := case when tg_op = 'DELETE' then old else new end;
begin
  if changes.is_erased(kept.user_id) then return null; end if;
  if tg_op = 'UPDATE'
    and (new.device, new.date, new.start_time, new.end_time, new.zone_offset_minutes, new.value, new.label, new.components)
    is not distinct from
      (old.device, old.date, old.start_time, old.end_time, old.zone_offset_minutes, old.value, old.label, old.components)
  then return null; end if;
  perform changes.record_score(kept.user_id, case tg_op when 'DELETE' then 'deleted' else 'updated' end, kept.id, kept.kind,
    kept.provider, kept.device, kept.date, kept.start_time, kept.end_time);
  return null;
end $$;

create function changes.of_sleep_score() returns trigger language plpgsql security definer set search_path to '' as $$
declare
  kept timeseries.sleep_session := case when tg_op = 'DELETE' then old else new end;
  before jsonb;
  after jsonb;
begin
  if changes.is_erased(kept.user_id) then return null; end if;
  if tg_op <> 'INSERT' then
    select jsonb_build_array(old.device, old.date, old.start_time, old.end_time, old.zone_offset_minutes, old.zone_reported,
      s.value, s.label, s.components)
    into before from timeseries.score_of_sleep(old.score, old.details) s;
  end if;
  if tg_op <> 'DELETE' then
    select jsonb_build_array(new.device, new.date, new.start_time, new.end_time, new.zone_offset_minutes, new.zone_reported,
      s.value, s.label, s.components)
    into after from timeseries.score_of_sleep(new.score, new.details) s;
  end if;
  if after is not distinct from before then return null; end if;
  perform changes.record_score(kept.user_id, case when after is null then 'deleted' else 'updated' end, kept.id, 'sleep',
    kept.provider, kept.device, kept.date, kept.start_time, kept.end_time);
  return null;
end $$;

create function changes.of_day_scores() returns trigger language plpgsql security definer set search_path to '' as $$
declare
  kept timeseries.day_value := case when tg_op = 'DELETE' then old else new end;
  before jsonb := '{}';
  after jsonb := '{}';
  of_kind text;
begin
  if changes.is_erased(kept.user_id) then return null; end if;
  if tg_op <> 'INSERT' then
    select coalesce(jsonb_object_agg(s.kind, jsonb_build_array(old.device, old.date, old.start_time, old.duration_seconds,
      old.zone_offset_minutes, s.value, s.label, s.components)), '{}')
    into before from timeseries.scores_of_day(old.vals) s;
  end if;
  if tg_op <> 'DELETE' then
    select coalesce(jsonb_object_agg(s.kind, jsonb_build_array(new.device, new.date, new.start_time, new.duration_seconds,
      new.zone_offset_minutes, s.value, s.label, s.components)), '{}')
    into after from timeseries.scores_of_day(new.vals) s;
  end if;
  for of_kind in select k from jsonb_object_keys(before || after) k where before -> k is distinct from after -> k order by k loop
    perform changes.record_score(kept.user_id, case when after ? of_kind then 'updated' else 'deleted' end,
      timeseries.day_score_id(kept.id, of_kind), of_kind, kept.provider, kept.device, kept.date, kept.start_time,
      kept.start_time + make_interval(secs => kept.duration_seconds));
  end loop;
  return null;
end $$;

create function changes.of_freshness() returns trigger language plpgsql security definer set search_path to '' as $$
begin
  if (new.stale_since is null) = (old.stale_since is null) or changes.is_erased(new.user_id) then return null; end if;
  perform changes.record(new.user_id, 'connection', case when new.stale_since is null then 'fresh' else 'stale' end,
    new.connection_id || ':freshness', null,
    jsonb_build_object('connection_id', new.connection_id, 'provider', new.provider)
      || case when new.stale_since is null then '{}' else jsonb_build_object('data_types', new.stale_kinds,
        'reason', case when new.ended_at is null then 'no_data' else 'access_ended' end) end);
  return null;
end $$;

create function changes.of_insight() returns trigger language plpgsql security definer set search_path to '' as $$
declare
  kept insights.day := case when tg_op = 'DELETE' then old else new end;
  former jsonb := case when tg_op = 'INSERT' then '{}' else insights.results_of(old) end;
  latter jsonb := case when tg_op = 'DELETE' then '{}' else insights.results_of(new) end;
  methods text[];
begin
  if former = latter or changes.is_erased(kept.user_id) then return null; end if;
  -- An event that waits names the methods of both changes.
  select array_agg(distinct name order by name) into methods from (
    select key as name from jsonb_each(former || latter) where former -> key is distinct from latter -> key
    union all
    select jsonb_array_elements_text(data -> 'methods') from changes.pending
    where user_id = kept.user_id and kind = 'insight' and object = kept.date::text and action is not null) changed;
  perform changes.record(kept.user_id, 'insight', 'updated', kept.date::text, kept.date + 1,
    jsonb_build_object('date', kept.date, 'methods', methods));
  return null;
end $$;

-- Published changes. Whoever inserts holds the lock of changes.lock_publishing until it commits, so that ids become
-- visible in their order.
create table changes.change (
  id bigint generated always as identity primary key,
  user_id uuid,
  external_user_id text,
  sequence bigint,
  type text not null,
  object text not null,
  historical boolean not null,
  first_at timestamptz,
  last_at timestamptz,
  n bigint not null,
  data jsonb not null,
  recorded_at timestamptz not null,
  published_at timestamptz default now() not null,
  project_id text default 'default' not null
);
alter table changes.change alter column external_user_id set statistics 0, alter column object set statistics 0, alter column data set statistics 0;
create index change_of_user on changes.change (user_id, id);
create index change_published on changes.change (published_at);
create index change_of_project on changes.change (project_id, id);
create index change_of_type on changes.change (project_id, type, id);

-- The last id that retention deleted: a reader that stopped before it missed changes.
create table changes.expired (
  last_id bigint not null
);

-- How long changes of an object are joined after one of them was published (live), or after the first of them
-- (historical). The service `webhooks` writes its settings here.
create table changes.joining (
  live interval not null,
  historical interval not null
);

-- One row per object. After its publication a row stays for a while, without an action, to delay the next one.
create table changes.pending (
  user_id uuid not null,
  kind text not null,
  object text not null,
  place bigint default nextval('changes.place'::regclass) not null,
  action text,
  historical boolean not null,
  first_at timestamptz,
  last_at timestamptz,
  n bigint not null,
  data jsonb,
  recorded_at timestamptz default now() not null,
  due_at timestamptz,
  published_at timestamptz,
  primary key (user_id, kind, object)
);
alter table changes.pending alter column object set statistics 0, alter column data set statistics 0;
create index pending_due on changes.pending (due_at) where due_at is not null;
create index pending_published on changes.pending (published_at) where due_at is null;

-- The series types that a summary is made of. The service `timeseries` fills it from the catalogue.
create table changes.summary_type (
  type_id smallint not null,
  summary text not null,
  primary key (type_id, summary)
);

-- The last sequence number of each user.
create table changes.user_sequence (
  user_id uuid primary key,
  last bigint not null
);

insert into changes.expired (last_id) values (0);
insert into changes.joining (live, historical) values ('1 second', '30 seconds');
