begin;
set local check_function_bodies = off;
create schema jobs;
create function jobs.enqueue_instead() returns trigger language plpgsql security definer
    set search_path to '' as $$
begin
  perform jobs.enqueue_row(tg_argv[0], tg_argv[1]::text[], tg_argv[2]::text[], to_jsonb(new));
  return null;
end $$;
create function jobs.enqueue_row(kind text, key_columns text[], payload_columns text[], entry jsonb) returns void language sql as $$
  insert into jobs.job as j (kind, key, payload, run_at)
  select kind,
    coalesce((select string_agg(entry ->> c, ':' order by n) from unnest(key_columns) with ordinality k (c, n)), ''),
    coalesce((select jsonb_object_agg(c, entry -> c) from unnest(payload_columns) c), '{}'),
    coalesce((entry ->> 'run_at')::timestamptz, now())
  on conflict (kind, key) do update set payload = excluded.payload, version = j.version + 1, failures = 0, crashes = 0,
    error = null, dead_at = null, cancelled = false,
    run_at = case when j.leased then j.run_at when j.dead_at is null then least(j.run_at, excluded.run_at)
      else excluded.run_at end;
$$;
create function jobs.enqueue_written() returns trigger language plpgsql security definer
    set search_path to '' as $$
begin
  perform jobs.enqueue_row(tg_argv[0], tg_argv[1]::text[], tg_argv[2]::text[], to_jsonb(new));
  return new;
end $$;
create table jobs.job (
  kind text not null,
  key text not null,
  lane smallint default 0 not null,
  run_at timestamptz default now() not null,
  leased boolean default false not null,
  attempt integer default 0 not null,
  failures integer default 0 not null,
  crashes integer default 0 not null,
  version integer default 0 not null,
  cancelled boolean default false not null,
  payload jsonb default '{}' not null,
  error text,
  created_at timestamptz default now() not null,
  dead_at timestamptz,
  constraint job_pkey primary key (kind, key)
);
alter table jobs.job
  alter column key set statistics 0,
  alter column payload set statistics 0;
create index job_dead on jobs.job (dead_at) where dead_at is not null;
create index job_due on jobs.job (kind, lane, run_at) where dead_at is null;
create schema changes;
create sequence changes.place;
create function changes.external_id(whose uuid) returns text language plpgsql stable security definer
    set search_path to '' as $$
begin
  return (select external_user_id from users.person where id = whose);
end $$;
create function changes.is_erased(whose uuid) returns boolean language plpgsql stable security definer
    set search_path to '' as $$
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
create function changes.of_backfill() returns trigger language plpgsql security definer
    set search_path to '' as $$
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
create function changes.of_backfill_type() returns trigger language plpgsql security definer
    set search_path to '' as $$
begin
  if new.state in ('waiting', 'requested') or old.state not in ('waiting', 'requested') then return null; end if;
  perform changes.record(r.user_id, 'backfill', 'type_completed', r.id || ':' || new.type, null,
    jsonb_build_object('backfill_id', r.id, 'connection_id', r.connection_id, 'provider', r.provider, 'data_type', new.type))
  from backfill.run r where r.id = new.run_id and r.state = 'running' and not exists (
    select from backfill.step s where s.run_id = r.id and s.type = new.type and s.state in ('waiting', 'requested'));
  return null;
end $$;
create function changes.of_connection() returns trigger language plpgsql security definer
    set search_path to '' as $$
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
create function changes.of_day() returns trigger language plpgsql security definer
    set search_path to '' as $$
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
create function changes.of_day_value() returns trigger language plpgsql security definer
    set search_path to '' as $$
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
create function changes.of_deleted_samples() returns trigger language plpgsql security definer
    set search_path to '' as $$
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
create function changes.of_epoch_parts() returns trigger language plpgsql security definer
    set search_path to '' as $$
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
create function changes.of_intervals() returns trigger language plpgsql security definer
    set search_path to '' as $$
begin
  perform changes.record_intervals(g.series_id, g.first_at, g.last_at, case when tg_op = 'DELETE' then 0 else g.n end)
  from (
    select series_id, min(start_time) as first_at, max(start_time + duration_ms * interval '1 millisecond') as last_at,
      count(*) as n
    from written group by series_id) g;
  return null;
end $$;
create function changes.of_local_days() returns trigger language plpgsql security definer
    set search_path to '' as $$
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
create function changes.of_moved_intervals() returns trigger language plpgsql security definer
    set search_path to '' as $$
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
create function changes.of_pulled_backfill() returns trigger language plpgsql security definer
    set search_path to '' as $$
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
create function changes.of_pulled_backfill_type() returns trigger language plpgsql security definer
    set search_path to '' as $$
begin
  if new.status in ('waiting', 'requested') or old.status not in ('waiting', 'requested') then return null; end if;
  perform changes.record(c.user_id, 'backfill', 'type_completed', r.id || ':' || new.type, null,
    jsonb_build_object('backfill_id', r.id, 'connection_id', new.connection_id, 'provider', c.provider, 'data_type', new.type))
  from pull.run r join pull.connection c using (connection_id)
  where r.connection_id = new.connection_id and r.state = 'running';
  return null;
end $$;
create function changes.of_samples() returns trigger language plpgsql security definer
    set search_path to '' as $$
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
create function changes.of_series() returns trigger language plpgsql security definer
    set search_path to '' as $$
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
create function changes.of_sleep() returns trigger language plpgsql security definer
    set search_path to '' as $$
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
create function changes.of_sync_type() returns trigger language plpgsql security definer
    set search_path to '' as $$
begin
  if new.ended_at is null or (tg_op = 'UPDATE' and old.ended_at is not null) then return null; end if;
  perform changes.record(s.user_id, 'backfill', 'type_completed', s.id || ':' || new.type, null,
    jsonb_build_object('backfill_id', s.id, 'connection_id', s.connection_id, 'provider', 'phone', 'data_type', new.type))
  from phone.first_sync s where s.user_id = new.user_id and s.state = 'running';
  return null;
end $$;
create function changes.of_user() returns trigger language plpgsql security definer
    set search_path to '' as $$
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
create function changes.of_workout() returns trigger language plpgsql security definer
    set search_path to '' as $$
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
create function changes.of_workout_detail() returns trigger language plpgsql security definer
    set search_path to '' as $$
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
create table changes.change (
  id bigint generated always as identity,
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
  constraint change_pkey primary key (id)
);
alter table changes.change
  alter column external_user_id set statistics 0,
  alter column object set statistics 0,
  alter column data set statistics 0;
create index change_of_type on changes.change (type, id);
create index change_of_user on changes.change (user_id, id);
create index change_published on changes.change (published_at);
create table changes.expired (
  last_id bigint not null
);
create table changes.joining (
  live interval not null,
  historical interval not null
);
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
  constraint pending_pkey primary key (user_id, kind, object)
);
alter table changes.pending
  alter column object set statistics 0,
  alter column data set statistics 0;
create index pending_due on changes.pending (due_at) where due_at is not null;
create index pending_published on changes.pending (published_at) where due_at is null;
create table changes.summary_type (
  type_id smallint not null,
  summary text not null,
  constraint summary_type_pkey primary key (type_id, summary)
);
create table changes.user_sequence (
  user_id uuid not null,
  last bigint not null,
  constraint user_sequence_pkey primary key (user_id)
);
insert into changes.expired (last_id) values (0);
insert into changes.joining (live, historical) values ('1 second', '30 seconds');
create schema auth;
create function auth.actor() returns text language sql stable
    return NULLIF(current_setting('auth.actor'::text, true), ''::text);
create function auth.note_api_key() returns trigger language plpgsql as $$
declare
  rotates boolean := coalesce(current_setting('auth.rotates', true), '') = 'on';
begin
  if rotates and tg_op = 'DELETE' then return null; end if;
  insert into auth.audit_entry (actor, action, subject_id, subject_name)
  values (auth.actor(),
    'api_key.' || case when rotates then 'rotated' when tg_op = 'INSERT' then 'created' when tg_op = 'DELETE' then 'deleted' else 'renamed' end,
    coalesce(new.id, old.id), coalesce(new.name, old.name));
  return null;
end $$;
create function auth.note_application() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_id, subject_name)
  values (auth.actor(),
    'application.' || case when tg_op = 'INSERT' then 'created' when tg_op = 'DELETE' then 'deleted'
      when new.secret_hash <> old.secret_hash then 'secret_rotated' else 'renamed' end,
    coalesce(new.id, old.id), coalesce(new.name, old.name));
  return null;
end $$;
create function auth.note_developer() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_id, subject_name)
  values (auth.actor(), 'developer.' || case tg_op when 'INSERT' then 'created' when 'DELETE' then 'deleted' else 'password_changed' end,
    coalesce(new.id, old.id), null);
  return null;
end $$;
create function auth.note_family() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_id, user_id)
  values (new.issued_by,
    case when new.user_id is not null then 'token.issued'
      when coalesce(current_setting('auth.by_link', true), '') = 'on' then 'developer.signed_in_by_link'
      else 'developer.logged_in' end,
    new.id, new.user_id);
  return null;
end $$;
create function auth.record_audit(actor text, request_id text, action text, user_id uuid, subject_id uuid, details jsonb) returns void language sql security definer
    set search_path to '' as $_$
  insert into auth.audit_entry (actor, request_id, action, user_id, subject_id, details)
  values ($1, $2, $3, $4, $5, $6)
$_$;
create table auth.api_key (
  id uuid default gen_random_uuid() not null,
  hash text not null,
  name text not null,
  created_by uuid not null,
  created_at timestamptz(3) default now() not null,
  last_used_at timestamptz(3),
  former_ids uuid[] default '{}'::uuid[] not null,
  constraint api_key_hash_key unique (hash),
  constraint api_key_pkey primary key (id)
);
create table auth.application (
  id uuid default gen_random_uuid() not null,
  app_id text not null,
  secret_hash text not null,
  name text not null,
  created_at timestamptz(3) default now() not null,
  constraint application_app_id_key unique (app_id),
  constraint application_pkey primary key (id)
);
create unlogged table auth.attempt_window (
  subject uuid not null,
  started_at timestamptz not null,
  count integer not null,
  constraint attempt_window_pkey primary key (subject)
)
with (fillfactor='50');
create index attempt_window_started on auth.attempt_window (started_at);
create table auth.audit_entry (
  id bigint generated always as identity,
  at timestamptz(3) default now() not null,
  actor text,
  action text not null,
  subject_id uuid,
  subject_name text,
  user_id uuid,
  request_id text default NULLIF(current_setting('auth.request_id', true), ''),
  details jsonb,
  rollup uuid,
  constraint audit_entry_pkey primary key (id)
);
create index audit_entry_action on auth.audit_entry (action, id);
create index audit_entry_actor on auth.audit_entry (actor, id) where actor is not null;
create index audit_entry_at on auth.audit_entry (at);
create unique index audit_entry_rollup on auth.audit_entry (rollup) where rollup is not null;
create index audit_entry_user on auth.audit_entry (user_id, id) where user_id is not null;
create table auth.console_session (
  hash text not null,
  family_id uuid not null,
  constraint console_session_family_id_key unique (family_id),
  constraint console_session_pkey primary key (hash)
);
create table auth.developer (
  id uuid default gen_random_uuid() not null,
  email text not null,
  password text not null,
  created_at timestamptz(3) default now() not null,
  constraint developer_pkey primary key (id)
);
create unique index developer_email on auth.developer (lower(email));
create table auth.family (
  id uuid not null,
  user_id uuid,
  developer_id uuid,
  application_id uuid,
  issued_by text not null,
  created_at timestamptz(3) default now() not null,
  expires_at timestamptz(3) not null,
  constraint family_check check ((user_id is not null) or (developer_id is not null)),
  constraint family_pkey primary key (id)
);
create index family_application on auth.family (application_id) where application_id is not null;
create index family_developer on auth.family (developer_id) where developer_id is not null;
create index family_expires on auth.family (expires_at);
create index family_user on auth.family (user_id) where user_id is not null;
create table auth.known_log_in (
  developer_id uuid not null,
  address_hash bytea not null,
  last_at timestamptz default now() not null,
  constraint known_log_in_pkey primary key (developer_id, address_hash)
)
with (fillfactor='80');
create index known_log_in_last on auth.known_log_in (last_at);
create unlogged table auth.rate_window (
  subject uuid not null,
  started_at timestamptz not null,
  count integer not null,
  constraint rate_window_pkey primary key (subject)
)
with (fillfactor='50', autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_cost_delay='0');
create table auth.refresh_token (
  hash text not null,
  family_id uuid not null,
  created_at timestamptz(3) default now() not null,
  consumed_at timestamptz,
  consumed_by text,
  constraint refresh_token_pkey primary key (hash)
);
create index refresh_token_created on auth.refresh_token (created_at);
create index refresh_token_family on auth.refresh_token (family_id);
create table auth.sign_in_link (
  hash text not null,
  developer_id uuid not null,
  expires_at timestamptz not null,
  constraint sign_in_link_pkey primary key (hash)
);
create index sign_in_link_developer on auth.sign_in_link (developer_id);
create index sign_in_link_expires on auth.sign_in_link (expires_at);
alter table auth.console_session add constraint console_session_family_id_fkey foreign key (family_id) references auth.family(id) on delete cascade;
alter table auth.family add constraint family_application_id_fkey foreign key (application_id) references auth.application(id) on delete cascade;
alter table auth.family add constraint family_developer_id_fkey foreign key (developer_id) references auth.developer(id) on delete cascade;
alter table auth.known_log_in add constraint known_log_in_developer_id_fkey foreign key (developer_id) references auth.developer(id) on delete cascade;
alter table auth.refresh_token add constraint refresh_token_family_id_fkey foreign key (family_id) references auth.family(id) on delete cascade;
alter table auth.sign_in_link add constraint sign_in_link_developer_id_fkey foreign key (developer_id) references auth.developer(id) on delete cascade;
create trigger api_key_noted after insert or delete or update of name on auth.api_key
  for each row
  execute function auth.note_api_key();
create trigger application_noted after insert or delete or update of name, secret_hash on auth.application
  for each row
  execute function auth.note_application();
create trigger developer_noted after insert or delete or update of password on auth.developer
  for each row
  execute function auth.note_developer();
create trigger family_noted after insert on auth.family for each row execute function auth.note_family();
create schema users;
create function users.drop_previous_refresh_token() returns trigger language plpgsql as $$
begin
  new.previous_refresh_token := null;
  return new;
end $$;
create function users.grams(value text, size integer) returns text[] language sql immutable strict parallel safe
    return (select coalesce(array_agg(distinct substr(grams.value, at.at, grams.size)), '{}'::text[]) as "coalesce" from generate_series(1, ((length(grams.value) - grams.size) + 1)) at(at));
create function users.note_connection_change() returns trigger language plpgsql as $$
begin
  if tg_op in ('INSERT', 'UPDATE') then
    insert into users.connection_change values (new.provider, new.status, 1);
  end if;
  if tg_op in ('DELETE', 'UPDATE') then
    insert into users.connection_change values (old.provider, old.status, -1);
  end if;
  return null;
end $$;
create function users.note_list_change() returns trigger language plpgsql as $$
begin
  if tg_op in ('INSERT', 'UPDATE') then
    insert into users.list_change
    select 1, id, created_at, email_key, first_name_key, last_name_key from made where deleted_at is null;
  end if;
  if tg_op in ('DELETE', 'UPDATE') then
    insert into users.list_change
    select -1, id, created_at, email_key, first_name_key, last_name_key from gone where deleted_at is null;
  end if;
  return null;
end $$;
create function users.note_person_status() returns trigger language plpgsql as $$
declare
  change record;
  held int;
begin
  for change in
    select user_id, status, sum(step)::int as step from (
      select new.user_id, new.status, 1 as step where tg_op in ('INSERT', 'UPDATE')
      union all
      select old.user_id, old.status, -1 where tg_op in ('DELETE', 'UPDATE')
    ) both_rows group by user_id, status order by user_id, status
  loop
    insert into users.person_status as kept values (change.user_id, change.status, change.step)
    on conflict (user_id, status) do update set n = kept.n + excluded.n
    returning n into held;
    if held = 0 then
      delete from users.person_status where user_id = change.user_id and status = change.status;
      insert into users.person_status_change values (change.status, -1);
    elsif held = 1 and change.step = 1 then
      insert into users.person_status_change values (change.status, 1);
    end if;
  end loop;
  return null;
end $$;
create table users.access_check (
  connection_id uuid not null,
  provider text not null,
  ending text,
  ending_since timestamptz(3),
  permissions_since timestamptz(3),
  attempt integer default 0 not null,
  failures integer default 0 not null,
  run_at timestamptz default now() not null,
  window_start timestamptz default '-infinity' not null,
  window_reads integer default 0 not null,
  read_at timestamptz(3),
  confirmed_at timestamptz(3),
  constraint access_check_ending_check check (ending in ('applied', 'wanted', 'restoring')),
  constraint access_check_pkey primary key (connection_id)
);
create index access_check_applied on users.access_check (provider) where ending = 'applied';
create index access_check_due on users.access_check (provider, run_at) where (ending is not null) or (permissions_since is not null);
create table users.access_quota (
  provider text not null,
  window_start timestamptz default '-infinity' not null,
  reads integer default 0 not null,
  constraint access_quota_pkey primary key (provider)
);
create table users.connection (
  id uuid default gen_random_uuid() not null,
  user_id uuid not null,
  provider text not null,
  provider_user_id text not null,
  status text not null,
  scope text[] not null,
  access_token text,
  refresh_token text,
  expires_at timestamptz(3),
  created_at timestamptz(3) default now() not null,
  updated_at timestamptz(3) default now() not null,
  connected_at timestamptz(3) default now() not null,
  last_synced_at timestamptz(3),
  scope_changed_at timestamptz(3),
  token_version integer default 0 not null,
  refresh_leased_until timestamptz,
  status_reason text,
  privacy jsonb,
  privacy_changed_at timestamptz(3),
  purge text,
  refresh_failing_since timestamptz,
  previous_refresh_token text,
  constraint connection_purge_check check (purge in ('wanted', 'told')),
  constraint connection_status_check check (status in ('active', 'revoked', 'expired')),
  constraint connection_pkey primary key (id),
  constraint connection_user_id_provider_key unique (user_id, provider)
);
alter table users.connection
  alter column access_token set statistics 0,
  alter column refresh_token set statistics 0,
  alter column privacy set statistics 0;
create index connection_account on users.connection (provider, provider_user_id) where status = 'active';
create index connection_ended on users.connection (status, provider, user_id) where status <> 'active';
create index connection_purge on users.connection (id) where purge = 'wanted';
create table users.connection_change (
  provider text not null,
  status text not null,
  n integer not null
);
create table users.erased_account (
  provider text not null,
  account_hash bytea not null,
  seen_at timestamptz default now() not null,
  constraint erased_account_pkey primary key (provider, account_hash)
);
create index erased_account_seen on users.erased_account (seen_at);
create table users.farewell (
  id uuid default gen_random_uuid() not null,
  connection_id uuid not null,
  provider text not null,
  provider_user_id text not null,
  access_token text not null,
  refresh_token text,
  expires_at timestamptz(3),
  attempts integer default 0 not null,
  run_at timestamptz default now() not null,
  created_at timestamptz default now() not null,
  constraint farewell_pkey primary key (id)
);
alter table users.farewell
  alter column provider_user_id set statistics 0,
  alter column access_token set statistics 0,
  alter column refresh_token set statistics 0;
create index farewell_due on users.farewell (run_at);
create table users.former_account (
  user_id uuid not null,
  provider text not null,
  provider_user_id text not null,
  left_at timestamptz default now() not null,
  constraint former_account_pkey primary key (user_id, provider, provider_user_id)
);
alter table users.former_account
  alter column provider_user_id set statistics 0;
create table users.held_delivery (
  connection_id uuid not null,
  delivery_id uuid not null,
  constraint held_delivery_pkey primary key (connection_id, delivery_id)
);
create table users.list_change (
  sign integer not null,
  id uuid not null,
  created_at timestamptz(3) not null,
  email_key text not null,
  first_name_key text not null,
  last_name_key text not null
)
with (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='2000');
alter table users.list_change
  alter column email_key set statistics 0,
  alter column first_name_key set statistics 0,
  alter column last_name_key set statistics 0;
create table users.list_fence (
  sort_by text not null,
  rank integer not null,
  key text not null,
  id uuid not null,
  constraint list_fence_pkey primary key (sort_by, rank)
);
alter table users.list_fence
  alter column key set statistics 0;
create table users.list_total (
  total integer not null,
  folded_at timestamptz,
  analyzed_at timestamptz
);
create table users.person (
  id uuid default gen_random_uuid() not null,
  created_at timestamptz(3) default now() not null,
  first_name text,
  last_name text,
  email text,
  external_user_id text,
  deleted_at timestamptz(3),
  erasure_tried_at timestamptz(3),
  erased_at timestamptz(3),
  first_name_key text generated always as (case when first_name is null then '1' else '0' || lower(first_name) end) stored not null collate pg_catalog."C",
  last_name_key text generated always as (case when last_name is null then '1' else '0' || lower(last_name) end) stored not null collate pg_catalog."C",
  email_key text generated always as (case when email is null then '1' else '0' || lower(email) end) stored not null collate pg_catalog."C",
  search_text text generated always as (lower(((((((coalesce(first_name, '') || chr(31)) || coalesce(last_name, '')) || chr(31)) || coalesce(email, '')) || chr(31)) || coalesce(external_user_id, '')))) stored not null,
  time_zone text,
  constraint person_pkey primary key (id)
);
create index person_created_at on users.person (created_at, id) where deleted_at is null;
create index person_email on users.person (email_key, id) where deleted_at is null;
create index person_erased on users.person (erased_at) where erased_at is not null;
create unique index person_external_user_id on users.person (external_user_id) where deleted_at is null;
create index person_first_name on users.person (first_name_key, id) where deleted_at is null;
create index person_grams on users.person using gin ((((users.grams(search_text, 1) || users.grams(search_text, 2)) || users.grams(search_text, 3)))) where deleted_at is null;
create index person_last_name on users.person (last_name_key, id) where deleted_at is null;
create index person_long_grams on users.person using gin (users.grams(search_text, 6)) where deleted_at is null;
create index person_unerased on users.person (erasure_tried_at) where (deleted_at is not null) and (erased_at is null);
create table users.person_status (
  user_id uuid not null,
  status text not null,
  n integer not null,
  constraint person_status_pkey primary key (user_id, status)
);
create table users.person_status_change (
  status text not null,
  n integer not null
);
alter table users.access_check add constraint access_check_connection_id_fkey foreign key (connection_id) references users.connection(id) on delete cascade;
alter table users.connection add constraint connection_user_id_fkey foreign key (user_id) references users.person(id) on delete cascade;
alter table users.former_account add constraint former_account_user_id_fkey foreign key (user_id) references users.person(id) on delete cascade;
alter table users.held_delivery add constraint held_delivery_connection_id_fkey foreign key (connection_id) references users.connection(id) on delete cascade;
create trigger enqueue_restoration after update of ending on users.access_check
  for each row
  when ((new.ending = 'restoring'::text) and (old.ending is distinct from 'restoring'::text))
  execute function jobs.enqueue_written('users.restoration', '{connection_id}', '{}');
create trigger changes after insert on users.connection for each row execute function changes.of_connection();
create trigger changes_update after update on users.connection
  for each row
  when ((new.status, new.connected_at, new.status_reason) is distinct from (old.status, old.connected_at, old.status_reason))
  execute function changes.of_connection();
create trigger drop_previous_refresh_token before update on users.connection
  for each row
  when ((new.previous_refresh_token is not null) and ((new.refresh_token is null) or (new.provider_user_id is distinct from old.provider_user_id)))
  execute function users.drop_previous_refresh_token();
create trigger enqueue_purge after update of purge on users.connection
  for each row
  when (new.purge = 'wanted'::text)
  execute function jobs.enqueue_written('users.purge', '{id}', '{}');
create trigger note_connection_delete after delete on users.connection
  for each row
  execute function users.note_connection_change();
create trigger note_connection_insert after insert on users.connection
  for each row
  execute function users.note_connection_change();
create trigger note_connection_update after update on users.connection
  for each row
  when ((old.status, old.provider) is distinct from (new.status, new.provider))
  execute function users.note_connection_change();
create trigger note_person_status_delete after delete on users.connection
  for each row
  execute function users.note_person_status();
create trigger note_person_status_insert after insert on users.connection
  for each row
  execute function users.note_person_status();
create trigger note_person_status_update after update on users.connection
  for each row
  when ((old.status, old.user_id) is distinct from (new.status, new.user_id))
  execute function users.note_person_status();
create trigger enqueue before insert on users.farewell
  for each row
  execute function jobs.enqueue_instead('users.token_revocation', '{connection_id,provider_user_id}', '{connection_id,provider,provider_user_id,access_token,refresh_token,expires_at}');
create trigger changes after insert or update on users.person for each row execute function changes.of_user();
create trigger enqueue_erasure after update of deleted_at on users.person
  for each row
  when ((new.deleted_at is not null) and (old.deleted_at is null))
  execute function jobs.enqueue_written('users.erasure', '{id}', '{}');
create trigger note_delete after delete on users.person
  referencing old table as gone
  for each statement
  execute function users.note_list_change();
create trigger note_insert after insert on users.person
  referencing new table as made
  for each statement
  execute function users.note_list_change();
create trigger note_update after update on users.person
  referencing old table as gone new table as made
  for each statement
  execute function users.note_list_change();
insert into users.list_total (total) values (0);
create schema timeseries;
create function timeseries.collect_deleted_sample() returns trigger language plpgsql as $$
begin
  insert into timeseries.deleted_sample values (old.series_id, old.zone_offset_minutes, old.ts);
  return null;
end $$;
create function timeseries.compress_chunk(chunk regclass) returns void language plpgsql security definer
    set search_path to '' as $$
declare
  first timestamptz := timeseries.start_of_chunk(chunk);
begin
  perform public.compress_chunk(chunk, if_not_compressed => true);
  execute format('insert into timeseries.sample values (0, 0, %L, 0)', first);
  execute format('delete from timeseries.sample where series_id = 0 and ts = %L', first);
end $$;
create function timeseries.day_key(series_id integer, midnight timestamptz) returns bigint language sql stable parallel safe
    return (((series_id)::bigint << 24) + ((date_part('epoch'::text, midnight) / (86400)::float8))::bigint);
create function timeseries.day_of(at timestamptz) returns timestamptz language sql immutable parallel safe
    return date_bin('1 day'::interval, at, '1970-01-01 00:00:00+00'::timestamptz);
create function timeseries.decompress_chunk(chunk regclass) returns void language plpgsql security definer
    set search_path to '' as $$
begin
  perform timeseries.start_of_chunk(chunk);
  perform public.decompress_chunk(chunk, if_compressed => true);
end $$;
create function timeseries.drop_chunks(first timestamptz, beyond timestamptz) returns void language plpgsql security definer
    set search_path to '' as $$
begin
  perform public.drop_chunks('timeseries.sample'::regclass, older_than => beyond, newer_than => first);
end $$;
create function timeseries.enable_compression() returns void language plpgsql security definer
    set search_path to '' as $$
begin
  if exists (
    select from timescaledb_information.hypertables
    where hypertable_schema = 'timeseries' and hypertable_name = 'sample' and compression_enabled)
  then return; end if;
  alter table timeseries.sample set (
    timescaledb.compress, timescaledb.compress_segmentby = 'series_id', timescaledb.compress_orderby = 'ts');
end $$;
create function timeseries.fives_of(mask bigint) returns bigint language sql immutable parallel safe
    return (((((mask | (mask >> 1)) | (mask >> 2)) | (mask >> 3)) | (mask >> 4)) & ('0000000010000100001000010000100001000010000100001000010000100001'::"bit")::bigint);
create function timeseries.fives_in(mask bigint) returns smallint language sql immutable parallel safe
    return bit_count((timeseries.fives_of(mask))::bit(64));
create function timeseries.has_samples(series_ids integer[], firsts timestamptz[], lasts timestamptz[]) returns boolean language plpgsql stable
    set enable_seqscan to 'off' as $$
declare
  earliest timestamptz := (select min(f) from unnest(firsts) f);
  latest timestamptz := (select max(l) from unnest(lasts) l);
begin
  return exists (
    select from unnest(series_ids, firsts, lasts) t (series_id, first, last)
    cross join lateral (
      select from timeseries.sample x
      where x.series_id = t.series_id and x.ts >= t.first and x.ts <= t.last
        and x.ts >= earliest and x.ts <= latest
      limit 1) found);
end $$;
create function timeseries.hour_key(series_id integer, bucket timestamptz) returns bigint language sql stable parallel safe
    return (((series_id)::bigint << 24) + ((date_part('epoch'::text, bucket) / (3600)::float8))::bigint);
create function timeseries.hour_of(at timestamptz) returns timestamptz language sql immutable parallel safe
    return date_bin('01:00:00'::interval, at, '1970-01-01 00:00:00+00'::timestamptz);
create function timeseries.is_kept_night(date date, start_time timestamptz, end_time timestamptz) returns boolean language sql immutable parallel safe
    return (((end_time - start_time) <= '2 days'::interval) and ((date >= (((start_time AT TIME ZONE 'UTC'::text))::date - 1)) and (date <= (((end_time AT TIME ZONE 'UTC'::text))::date + 1))));
create function timeseries.local_midnight(at timestamptz, zone_offset_minutes smallint) returns timestamptz language sql stable parallel safe
    return date_bin('1 day'::interval, (at + ((zone_offset_minutes)::float8 * '00:01:00'::interval)), '1970-01-01 00:00:00+00'::timestamptz);
create function timeseries.mark_night() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    update timeseries.night_mean n set stale = true
    where n.user_id = old.user_id and n.date = old.date and n.provider = old.provider and not n.stale;
  end if;
  if tg_op <> 'DELETE' then
    insert into timeseries.night_mean as n (user_id, date, provider) values (new.user_id, new.date, new.provider)
    on conflict (user_id, date, provider) do update set stale = true where not n.stale;
  end if;
  return null;
end $$;
create function timeseries.mark_nights(series_ids integer[], firsts timestamptz[], lasts timestamptz[]) returns void language plpgsql as $$
begin
  update timeseries.night_mean n set stale = true
  from unnest(series_ids, firsts, lasts) t (series_id, first, last)
  join timeseries.series s on s.id = t.series_id
  join timeseries.series_type y on y.id = s.type_id and y.of_night
  where n.user_id = s.user_id and n.provider = s.provider and not n.stale
    and n.date between (t.first at time zone 'UTC')::date - 4 and (t.last at time zone 'UTC')::date + 4
    and n.start_time < t.last + interval '1 hour' and n.end_time > t.first;
end $$;
create function timeseries.minutes_in(mask bigint) returns smallint language sql immutable parallel safe
    return bit_count((mask)::bit(64));
create function timeseries.quarters_in(mask bigint) returns smallint language sql immutable parallel safe
    return bit_count(((((timeseries.fives_of(mask) | (timeseries.fives_of(mask) >> 5)) | (timeseries.fives_of(mask) >> 10)) & ('0000000000000000001000000000000001000000000000001000000000000001'::"bit")::bigint))::bit(64));
create function timeseries.recompute_hours(series_ids integer[], hours timestamptz[]) returns void language plpgsql
    set enable_seqscan to 'off' as $$
declare
  first timestamptz := (select min(hour) from unnest(hours) hour);
  beyond timestamptz := (select max(hour) + interval '1 hour' from unnest(hours) hour);
  day_series_ids int[];
  days timestamptz[];
  firsts timestamptz[];
  lasts timestamptz[];
begin
  delete from timeseries.sample_hour h using unnest(series_ids, hours) t (series_id, hour)
  where h.series_id = t.series_id and h.bucket = t.hour;

  insert into timeseries.sample_hour (series_id, bucket, n, sum, min, max, last, last_ts, mask, energy)
  select t.series_id, t.hour, g.n, g.sum, g.min, g.max,
    g.last, g.last_ts, g.mask, g.energy
  from unnest(series_ids, hours) t (series_id, hour)
  join timeseries.series s on s.id = t.series_id
  join timeseries.series_type y on y.id = s.type_id
  cross join lateral (
    select count(*) as n, sum(x.value) as sum, min(x.value) as min, max(x.value) as max, max(x.ts) as last_ts,
      (array_agg(x.value order by x.ts desc))[1] as last,
      bit_or(1::bigint << floor(date_part('epoch', x.ts - t.hour) / 60)::int) as mask,
      sum(case when y.bucket = 'leq' then power(10, x.value / 10) end) as energy
    from timeseries.sample x
    where x.series_id = t.series_id and x.ts >= t.hour and x.ts < t.hour + interval '1 hour'
      and x.ts >= first and x.ts < beyond
  ) g
  where g.n > 0;

  select array_agg(d.series_id), array_agg(d.day), array_agg(d.first), array_agg(d.last)
  into day_series_ids, days, firsts, lasts
  from (
    select t.series_id, timeseries.day_of(t.hour) as day, min(t.hour) as first, max(t.hour) as last
    from unnest(series_ids, hours) t (series_id, hour) group by t.series_id, timeseries.day_of(t.hour)
  ) d;
  perform timeseries.refresh_days(day_series_ids, days);
  perform timeseries.mark_nights(day_series_ids, firsts, lasts);
end $$;
create function timeseries.recompute_local_days(series_ids integer[], midnights timestamptz[]) returns void language plpgsql
    set enable_seqscan to 'off' as $$
declare
  first timestamptz := (select min(midnight) - interval '18 hours' from unnest(midnights) midnight);
  beyond timestamptz := (select max(midnight) + interval '42 hours' from unnest(midnights) midnight);
begin
  delete from timeseries.sample_local_day d using unnest(series_ids, midnights) t (series_id, midnight)
  where d.series_id = t.series_id and d.date = (t.midnight at time zone 'UTC')::date;

  insert into timeseries.sample_local_day (series_id, date, n, sum, min, max)
  select t.series_id, (t.midnight at time zone 'UTC')::date, g.n, g.sum, g.min, g.max
  from unnest(series_ids, midnights) t (series_id, midnight)
  join timeseries.series s on s.id = t.series_id
  cross join lateral (
    select count(*) as n, sum(x.value) as sum, min(x.value) as min, max(x.value) as max
    from timeseries.sample x
    where x.series_id = t.series_id and x.ts >= t.midnight - interval '18 hours'
      and x.ts < t.midnight + interval '42 hours' and x.ts >= first and x.ts < beyond
      and timeseries.local_midnight(x.ts, x.zone_offset_minutes) = t.midnight
  ) g
  where g.n > 0;
end $$;
create function timeseries.refresh_days(series_ids integer[], days timestamptz[]) returns void language plpgsql
    set enable_seqscan to 'off' as $$
begin
  insert into timeseries.sample_day as d (series_id, bucket, n, n1, n5, n15, n60)
  select t.series_id, t.day, h.n, h.n1, h.n5, h.n15, h.n60
  from unnest(series_ids, days) t (series_id, day)
  cross join lateral (
    select sum(n) as n, sum(n1) as n1, sum(n5) as n5, sum(n15) as n15, count(*) as n60
    from timeseries.sample_hour
    where series_id = t.series_id and bucket >= t.day and bucket < t.day + interval '24 hours'
  ) h
  where h.n60 > 0
  on conflict (series_id, bucket) do update
    set n = excluded.n, n1 = excluded.n1, n5 = excluded.n5, n15 = excluded.n15, n60 = excluded.n60;

  delete from timeseries.sample_day d using unnest(series_ids, days) t (series_id, day)
  where d.series_id = t.series_id and d.bucket = t.day
    and not exists (
      select from timeseries.sample_hour h
      where h.series_id = t.series_id and h.bucket >= t.day and h.bucket < t.day + interval '24 hours');
end $$;
create function timeseries.sample_after_delete() returns trigger language plpgsql as $$
declare
  series_ids int[];
  hours timestamptz[];
  day_series_ids int[];
  midnights timestamptz[];
begin
  select array_agg(t.series_id), array_agg(t.hour) into series_ids, hours from (
    select distinct r.series_id, timeseries.hour_of(r.ts) as hour
    from timeseries.deleted_sample r join timeseries.series s on s.id = r.series_id) t;
  if series_ids is not null then
    select array_agg(t.series_id), array_agg(t.midnight) into day_series_ids, midnights from (
      select distinct r.series_id, timeseries.local_midnight(r.ts, r.zone_offset_minutes) as midnight
      from timeseries.deleted_sample r join timeseries.series s on s.id = r.series_id) t;
    perform timeseries.recompute_hours(series_ids, hours);
    perform timeseries.recompute_local_days(day_series_ids, midnights);
  end if;
  delete from timeseries.deleted_sample;
  return null;
end $$;
create function timeseries.sample_after_insert() returns trigger language plpgsql
    set enable_seqscan to 'off' as $$
declare
  hours_done bigint[] := coalesce(nullif(current_setting('timeseries.hours_done', true), ''), '{}');
  days_done bigint[] := coalesce(nullif(current_setting('timeseries.days_done', true), ''), '{}');
  series_ids int[];
  days timestamptz[];
  firsts timestamptz[];
  lasts timestamptz[];
begin
  with grouped as materialized (
    select r.series_id, r.hour, r.day, count(*) as n, sum(r.value) as sum, min(r.value) as min, max(r.value) as max,
      max(r.ts) as last_ts, (array_agg(r.value order by r.ts))[count(*)] as last,
      bit_or(1::bigint << (r.minute - 60 * r.hour)) as mask
    from (
      select series_id, ts, value, floor(seconds / 60)::int as minute, floor(seconds / 3600)::int as hour,
        floor((seconds + 60 * zone_offset_minutes) / 86400)::int as day
      from (select series_id, ts, value, zone_offset_minutes, date_part('epoch', ts) as seconds from inserted offset 0) i
      offset 0
    ) r
    group by r.series_id, r.hour, r.day
  ), known as materialized (
    select s.id, t.bucket = 'leq' as is_leq
    from (select distinct series_id from grouped) g
    join timeseries.series s on s.id = g.series_id
    join timeseries.series_type t on t.id = s.type_id
  ), energies as (
    select r.series_id, floor(date_part('epoch', r.ts) / 3600)::int as hour, sum(power(10, r.value / 10)) as energy
    from inserted r join known k on k.id = r.series_id and k.is_leq
    group by 1, 2
  ), hours as (
    insert into timeseries.sample_hour as h (series_id, bucket, n, sum, min, max, last, last_ts, mask, energy)
    select series_id, to_timestamp(hour * 3600::float8), sum(n), sum(sum), min(min), max(max),
      (array_agg(last order by last_ts desc nulls last))[1], max(last_ts), bit_or(mask), sum(energy)
    from (
      select series_id, hour, n, sum, min, max, last, last_ts, mask, null::float8 as energy from grouped
      union all
      select series_id, hour, null, null, null, null, null, null, null, energy from energies
    ) g
    where series_id = any (array(select id from known)) and (series_id::bigint << 24) + hour <> all (hours_done)
    group by series_id, hour
    on conflict (series_id, bucket) do update
      set n = h.n + excluded.n, sum = h.sum + excluded.sum,
        min = least(h.min, excluded.min), max = greatest(h.max, excluded.max),
        last = case when excluded.last_ts >= h.last_ts then excluded.last else h.last end,
        last_ts = greatest(h.last_ts, excluded.last_ts),
        mask = h.mask | excluded.mask, energy = h.energy + excluded.energy
    returning h.series_id, h.bucket
  ), local_days as (
    insert into timeseries.sample_local_day as d (series_id, date, n, sum, min, max)
    select series_id, date '1970-01-01' + day, sum(n), sum(sum), min(min), max(max)
    from grouped
    where series_id = any (array(select id from known)) and (series_id::bigint << 24) + day <> all (days_done)
    group by series_id, day
    on conflict (series_id, date) do update
      set n = d.n + excluded.n, sum = d.sum + excluded.sum,
        min = least(d.min, excluded.min), max = greatest(d.max, excluded.max)
  )
  select array_agg(d.series_id), array_agg(d.day), array_agg(d.first), array_agg(d.last)
  into series_ids, days, firsts, lasts
  from (
    select series_id, timeseries.day_of(bucket) as day, min(bucket) as first, max(bucket) as last
    from hours group by series_id, timeseries.day_of(bucket)
  ) d;
  perform timeseries.refresh_days(series_ids, days);
  perform timeseries.mark_nights(series_ids, firsts, lasts);
  return null;
end $$;
create function timeseries.sample_after_update() returns trigger language plpgsql as $$
declare
  series_ids int[];
  hours timestamptz[];
  day_series_ids int[];
  midnights timestamptz[];
begin
  select array_agg(t.series_id), array_agg(t.hour) into series_ids, hours from (
    select r.series_id, timeseries.hour_of(r.ts) as hour from before r
    union select r.series_id, timeseries.hour_of(r.ts) from after r) t;
  if series_ids is null then return null; end if;
  select array_agg(t.series_id), array_agg(t.midnight) into day_series_ids, midnights from (
    select r.series_id, timeseries.local_midnight(r.ts, r.zone_offset_minutes) as midnight from before r
    union select r.series_id, timeseries.local_midnight(r.ts, r.zone_offset_minutes) from after r) t;
  perform timeseries.recompute_hours(series_ids, hours);
  perform timeseries.recompute_local_days(day_series_ids, midnights);
  perform
    set_config('timeseries.hours_done',
      (select array_agg(timeseries.hour_key(s, h)) from unnest(series_ids, hours) t (s, h))::text, true),
    set_config('timeseries.days_done',
      (select array_agg(timeseries.day_key(s, m)) from unnest(day_series_ids, midnights) t (s, m))::text, true);
  return null;
end $$;
create function timeseries.sample_before_insert() returns trigger language plpgsql as $$
begin
  perform set_config('timeseries.hours_done', '{}', true), set_config('timeseries.days_done', '{}', true);
  return null;
end $$;
create function timeseries.start_of_chunk(chunk regclass) returns timestamptz language plpgsql stable as $$
declare
  first timestamptz := (
    select range_start from timescaledb_information.chunks
    where hypertable_schema = 'timeseries' and hypertable_name = 'sample'
      and format('%I.%I', chunk_schema, chunk_name)::regclass = chunk);
begin
  if first is null then raise exception '% is no chunk of timeseries.sample', chunk; end if;
  return first;
end $$;
create function timeseries.wipe_details() returns trigger language plpgsql as $$
begin
  delete from timeseries.workout_track where workout_id = new.id;
  delete from timeseries.workout_detail where workout_id = new.id;
  return null;
end $$;
create table timeseries.activity_block (
  id bigint generated always as identity,
  user_id uuid not null,
  provider text not null,
  data_type text not null,
  key text not null,
  hash text not null,
  part integer not null,
  series_id integer not null,
  day date not null,
  zone_offset_minutes smallint not null,
  hidden boolean default false not null,
  times bytea not null,
  vals bytea not null,
  constraint activity_block_pkey primary key (id)
);
alter table timeseries.activity_block
  alter column key set statistics 0,
  alter column times set statistics 0,
  alter column vals set statistics 0;
create index activity_block_day on timeseries.activity_block (series_id, day);
create index activity_block_item on timeseries.activity_block (user_id, provider, key);
create index activity_block_old on timeseries.activity_block (day);
create table timeseries.day_value (
  id uuid not null,
  user_id uuid not null,
  provider text not null,
  data_type text not null,
  key text not null,
  device text not null,
  date date not null,
  start_time timestamptz not null,
  duration_seconds integer not null,
  zone_offset_minutes smallint,
  vals jsonb not null,
  extra jsonb,
  normaliser_version smallint,
  constraint day_value_pkey primary key (id),
  constraint day_value_user_id_provider_data_type_key_key unique (user_id, provider, data_type, key)
);
alter table timeseries.day_value
  alter column key set statistics 0,
  alter column device set statistics 0,
  alter column duration_seconds set statistics 0,
  alter column vals set statistics 0,
  alter column extra set statistics 0;
create index day_value_by_date on timeseries.day_value (user_id, date);
create index day_value_by_start on timeseries.day_value (user_id, start_time, id);
create table timeseries.deleted_interval (
  set_id integer not null,
  key uuid not null,
  constraint deleted_interval_pkey primary key (set_id, key)
);
alter table timeseries.deleted_interval
  alter column key set statistics 0;
create unlogged table timeseries.deleted_sample (
  series_id integer not null,
  zone_offset_minutes smallint not null,
  ts timestamptz not null
)
with (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='100000');
CREATE TABLE timeseries.epoch_part (
  user_id uuid NOT NULL,
  provider text NOT NULL,
  start_time timestamptz NOT NULL,
  activity_type text NOT NULL,
  device text NOT NULL,
  zone_offset_minutes smallint NOT NULL,
  local_date date NOT NULL,
  active_seconds integer,
  sedentary_seconds integer,
  vals jsonb NOT NULL,
  slot_seconds integer,
  delivery integer DEFAULT 0 NOT NULL,
  superseded jsonb,
  CONSTRAINT epoch_part_pkey PRIMARY KEY (user_id, provider, start_time, activity_type)
);
alter table timeseries.epoch_part
  alter column device set statistics 0,
  alter column active_seconds set statistics 0,
  alter column vals set statistics 0;
CREATE INDEX epoch_part_sedentary ON timeseries.epoch_part (user_id, local_date) INCLUDE (provider, sedentary_seconds) WHERE (sedentary_seconds IS NOT NULL);
CREATE INDEX epoch_part_superseded ON timeseries.epoch_part (local_date) WHERE (superseded IS NOT NULL);
CREATE INDEX epoch_part_with_values ON timeseries.epoch_part (local_date) WHERE (vals <> '{}');
create table timeseries.interval_series (
  series_id integer not null,
  source_id integer not null,
  longest_ms integer not null,
  min_offset_minutes smallint not null,
  max_offset_minutes smallint not null,
  requested integer default 0 not null,
  settled integer default 0 not null,
  constraint interval_series_pkey primary key (series_id)
);
create table timeseries.interval_set (
  id integer generated always as identity,
  user_id uuid not null,
  provider text not null,
  ranked_by text,
  constraint interval_set_pkey primary key (id),
  constraint interval_set_user_id_provider_key unique (user_id, provider)
);
create index interval_set_ranked_by on timeseries.interval_set (ranked_by);
create table timeseries.interval_source (
  id integer generated always as identity,
  set_id integer not null,
  device_type text not null,
  device_id text not null,
  app text not null,
  device text not null,
  constraint interval_source_pkey primary key (id),
  constraint interval_source_set_id_device_key unique (set_id, device),
  constraint interval_source_set_id_device_type_device_id_app_key unique (set_id, device_type, device_id, app)
);
alter table timeseries.interval_source
  alter column device_id set statistics 0,
  alter column app set statistics 0,
  alter column device set statistics 0;
create table timeseries.interval_value (
  set_id integer not null,
  series_id integer not null,
  start_time timestamptz not null,
  value float8 not null,
  key uuid not null,
  duration_ms integer not null,
  zone_offset_minutes smallint not null
);
alter table timeseries.interval_value
  alter column value set statistics 0,
  alter column key set statistics 0,
  alter column duration_ms set statistics 0;
create unique index interval_value_key on timeseries.interval_value (set_id, key);
create index interval_value_start on timeseries.interval_value (series_id, start_time);
create table timeseries.item (
  user_id uuid not null,
  provider text not null,
  data_type text not null,
  key text not null,
  duration_seconds integer not null,
  hash text,
  pending_hash text,
  is_first boolean not null,
  record_ids uuid[] not null,
  was_final boolean default false not null,
  normaliser_version smallint,
  received_at timestamptz,
  footprint bytea,
  first_day smallint,
  last_day smallint,
  unauthenticated boolean default false not null,
  constraint item_pkey primary key (user_id, provider, data_type, key)
);
alter table timeseries.item
  alter column key set statistics 0,
  alter column duration_seconds set statistics 0,
  alter column hash set statistics 0,
  alter column pending_hash set statistics 0;
create index item_unauthenticated on timeseries.item (user_id, provider, data_type, key) where unauthenticated;
create table timeseries.night_mean (
  user_id uuid not null,
  date date not null,
  provider text not null,
  stale boolean default true not null,
  start_time timestamptz,
  end_time timestamptz,
  heart_rate float8,
  heart_rate_variability_sdnn float8,
  respiratory_rate float8,
  oxygen_saturation float8,
  constraint night_mean_pkey primary key (user_id, date, provider)
);
alter table timeseries.night_mean
  alter column heart_rate set statistics 0,
  alter column heart_rate_variability_sdnn set statistics 0,
  alter column respiratory_rate set statistics 0,
  alter column oxygen_saturation set statistics 0;
create index night_mean_stale on timeseries.night_mean (user_id, date, provider) where stale;
create table timeseries.other_instants (
  series_id integer not null,
  day date not null,
  times bytea not null,
  constraint other_instants_pkey primary key (series_id, day)
);
create index other_instants_old on timeseries.other_instants (day);
create table timeseries.other_record (
  id uuid not null,
  user_id uuid not null,
  provider text not null,
  type text not null,
  key text not null,
  device text not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  zone_offset_minutes smallint not null,
  local_date date not null,
  data jsonb not null,
  zone_reported boolean default true not null,
  normaliser_version smallint,
  constraint other_record_pkey primary key (id),
  constraint other_record_user_id_provider_type_key_key unique (user_id, provider, type, key)
);
alter table timeseries.other_record
  alter column key set statistics 0,
  alter column device set statistics 0,
  alter column data set statistics 0;
create index other_record_by_local_date on timeseries.other_record (user_id, local_date);
create index other_record_by_start on timeseries.other_record (user_id, start_time, id);
create index other_record_by_type on timeseries.other_record (user_id, type, start_time, id);
create index other_record_of_meal on timeseries.other_record (user_id, ((data ->> 'meal_id'))) where type = 'nutrition';
create table timeseries.provider_day (
  id uuid not null,
  user_id uuid not null,
  provider text not null,
  key text not null,
  device text not null,
  date date not null,
  start_time timestamptz not null,
  zone_offset_minutes smallint not null,
  duration_seconds integer not null,
  steps integer,
  distance_meters float8,
  floors_climbed integer,
  active_seconds integer,
  moderate_seconds integer,
  vigorous_seconds integer,
  active_calories_kcal float8,
  basal_calories_kcal float8,
  avg_heart_rate_bpm integer,
  min_heart_rate_bpm integer,
  max_heart_rate_bpm integer,
  pushes integer,
  consumed_calories_kcal float8,
  normaliser_version smallint,
  constraint provider_day_pkey primary key (id),
  constraint provider_day_user_id_provider_key_key unique (user_id, provider, key)
);
alter table timeseries.provider_day
  alter column key set statistics 0,
  alter column device set statistics 0,
  alter column duration_seconds set statistics 0,
  alter column steps set statistics 0,
  alter column distance_meters set statistics 0,
  alter column floors_climbed set statistics 0,
  alter column active_seconds set statistics 0,
  alter column moderate_seconds set statistics 0,
  alter column vigorous_seconds set statistics 0,
  alter column active_calories_kcal set statistics 0,
  alter column basal_calories_kcal set statistics 0,
  alter column avg_heart_rate_bpm set statistics 0,
  alter column min_heart_rate_bpm set statistics 0,
  alter column max_heart_rate_bpm set statistics 0,
  alter column pushes set statistics 0,
  alter column consumed_calories_kcal set statistics 0;
create index provider_day_by_date on timeseries.provider_day (user_id, date);
create table timeseries.purge (
  user_id uuid not null,
  provider text not null,
  version integer not null,
  closed boolean not null,
  series_ids integer[] not null,
  items_done boolean not null,
  purged_at timestamptz default now() not null,
  constraint purge_pkey primary key (user_id, provider)
);
create index purge_unfinished on timeseries.purge (purged_at) where (not items_done) or (cardinality(series_ids) > 0);
create table timeseries.retention (
  one boolean default true not null,
  kept_from date default '-infinity'::date not null,
  series_id integer default 0 not null,
  finished_at timestamptz,
  constraint retention_one_check check (one),
  constraint retention_pkey primary key (one)
);
create table timeseries.route_privacy (
  user_id uuid not null,
  stores boolean,
  zones jsonb default '[]' not null,
  version integer not null,
  constraint route_privacy_pkey primary key (user_id)
);
alter table timeseries.route_privacy
  alter column zones set statistics 0;
create table timeseries.sample (
  series_id integer not null,
  zone_offset_minutes smallint not null,
  ts timestamptz not null,
  value float8 not null
);
alter table timeseries.sample
  alter column value set statistics 0;
create unique index sample_key on timeseries.sample (series_id, ts) with (fillfactor='100');
do $$
begin
  if exists (select from pg_extension where extname = 'timescaledb') then
    perform create_hypertable('timeseries.sample', by_range('ts', interval '30 days'), create_default_indexes => false);
    -- The planner stops early over time_bucket, which it knows to rise with its argument; over date_bin it cannot.
    create function timeseries.bucket_of(width interval, at timestamptz) returns timestamptz
      language sql immutable parallel safe return time_bucket(width, at);
  else
    create function timeseries.bucket_of(width interval, at timestamptz) returns timestamptz
      language sql immutable parallel safe return date_bin(width, at, timestamptz '1970-01-01 00:00:00+00');
  end if;
end $$;
create table timeseries.sample_day (
  series_id integer not null,
  n integer not null,
  bucket timestamptz not null,
  n1 smallint not null,
  n5 smallint not null,
  n15 smallint not null,
  n60 smallint not null,
  constraint sample_day_pkey primary key (series_id, bucket) include (n, n1, n5, n15, n60)
);
create table timeseries.sample_hour (
  series_id integer not null,
  n integer not null,
  bucket timestamptz not null,
  sum float8 not null,
  min float8 not null,
  max float8 not null,
  last float8 not null,
  last_ts timestamptz not null,
  mask bigint not null,
  n1 smallint generated always as (timeseries.minutes_in(mask)) stored not null,
  n5 smallint generated always as (timeseries.fives_in(mask)) stored not null,
  n15 smallint generated always as (timeseries.quarters_in(mask)) stored not null,
  energy float8,
  constraint sample_hour_pkey primary key (series_id, bucket)
);
alter table timeseries.sample_hour
  alter column sum set statistics 0,
  alter column min set statistics 0,
  alter column max set statistics 0,
  alter column last set statistics 0,
  alter column energy set statistics 0;
create table timeseries.sample_local_day (
  series_id integer not null,
  date date not null,
  n integer not null,
  sum float8 not null,
  min float8 not null,
  max float8 not null,
  own float8,
  constraint sample_local_day_pkey primary key (series_id, date) include (n, sum, min, max)
);
alter table timeseries.sample_local_day
  alter column sum set statistics 0,
  alter column min set statistics 0,
  alter column max set statistics 0,
  alter column own set statistics 0;
create table timeseries.series (
  id integer generated always as identity,
  user_id uuid not null,
  type_id smallint not null,
  provider text not null,
  device text not null,
  unclaimed_until timestamptz default (now() + '1 day'::interval) not null,
  is_interval boolean default false not null,
  constraint series_pkey primary key (id),
  constraint series_user_id_type_id_provider_device_key unique (user_id, type_id, provider, device)
);
alter table timeseries.series
  alter column device set statistics 0;
create table timeseries.series_type (
  id smallint not null,
  name text not null,
  bucket text not null,
  of_night boolean default false not null,
  constraint series_type_name_key unique (name),
  constraint series_type_pkey primary key (id)
);
create table timeseries.sleep_session (
  id uuid not null,
  user_id uuid not null,
  provider text not null,
  key text not null,
  device text not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  zone_offset_minutes smallint not null,
  date date not null,
  is_nap boolean not null,
  rank smallint not null,
  asleep_seconds integer not null,
  deep_seconds integer,
  light_seconds integer,
  rem_seconds integer,
  awake_seconds integer,
  unmeasurable_seconds integer,
  interruptions integer,
  score integer,
  stage_intervals jsonb,
  details jsonb,
  zone_reported boolean default true not null,
  normaliser_version smallint,
  constraint sleep_session_pkey primary key (id)
);
alter table timeseries.sleep_session
  alter column key set statistics 0,
  alter column device set statistics 0,
  alter column asleep_seconds set statistics 0,
  alter column deep_seconds set statistics 0,
  alter column light_seconds set statistics 0,
  alter column rem_seconds set statistics 0,
  alter column awake_seconds set statistics 0,
  alter column unmeasurable_seconds set statistics 0,
  alter column interruptions set statistics 0,
  alter column score set statistics 0,
  alter column stage_intervals set statistics 0,
  alter column details set statistics 0;
create index sleep_session_by_date on timeseries.sleep_session (user_id, date);
create index sleep_session_by_start on timeseries.sleep_session (user_id, start_time, id);
create table timeseries.source_priority (
  user_id uuid not null,
  type_id smallint not null,
  providers text[],
  device_types text[],
  constraint source_priority_pkey primary key (user_id, type_id)
);
create table timeseries.tombstone (
  user_id uuid not null,
  series_ids integer[] not null,
  erased_at timestamptz default now() not null,
  finished_at timestamptz,
  constraint tombstone_pkey primary key (user_id)
);
create index tombstone_unfinished on timeseries.tombstone (erased_at) where finished_at is null;
create table timeseries.user_clock (
  user_id uuid not null,
  zone_offset_minutes smallint not null,
  start_time timestamptz not null,
  constraint user_clock_pkey primary key (user_id)
);
create table timeseries.workout (
  id uuid not null,
  user_id uuid not null,
  provider text not null,
  key text not null,
  device text not null,
  type text not null,
  raw_type text not null,
  name text not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  zone_offset_minutes smallint not null,
  local_date date not null,
  duration_seconds integer not null,
  moving_seconds integer,
  calories_kcal float8,
  distance_meters float8,
  avg_heart_rate_bpm integer,
  max_heart_rate_bpm integer,
  avg_pace_sec_per_km float8,
  elevation_gain_meters float8,
  steps integer,
  manual boolean,
  web_upload boolean,
  private boolean,
  is_parent boolean not null,
  parent_id text,
  duplicate_of uuid,
  deleted_at timestamptz,
  parts jsonb default '{}' not null,
  hidden boolean default false not null,
  cropped boolean default false not null,
  counted_with uuid,
  counted_on date,
  zone_reported boolean default true not null,
  normaliser_version smallint,
  constraint workout_pkey primary key (id),
  constraint workout_user_id_provider_key_key unique (user_id, provider, key)
);
alter table timeseries.workout
  alter column key set statistics 0,
  alter column device set statistics 0,
  alter column name set statistics 0,
  alter column duration_seconds set statistics 0,
  alter column moving_seconds set statistics 0,
  alter column calories_kcal set statistics 0,
  alter column distance_meters set statistics 0,
  alter column avg_heart_rate_bpm set statistics 0,
  alter column max_heart_rate_bpm set statistics 0,
  alter column avg_pace_sec_per_km set statistics 0,
  alter column elevation_gain_meters set statistics 0,
  alter column steps set statistics 0,
  alter column parent_id set statistics 0,
  alter column parts set statistics 0;
create index workout_by_local_date on timeseries.workout (user_id, local_date) where (deleted_at is null) and (duplicate_of is null) and (not is_parent);
create index workout_by_start on timeseries.workout (user_id, start_time, id);
create index workout_listed on timeseries.workout (user_id, start_time, id) where (deleted_at is null) and (duplicate_of is null) and (not is_parent);
create index workout_listed_by_type on timeseries.workout (user_id, type, start_time, id) where (deleted_at is null) and (duplicate_of is null) and (not is_parent);
create index workout_of_parent on timeseries.workout (user_id, provider, parent_id) where parent_id is not null;
create table timeseries.workout_detail (
  workout_id uuid not null,
  user_id uuid not null,
  parts jsonb default '{}' not null,
  track_of text,
  track_hash text,
  constraint workout_detail_pkey primary key (workout_id)
);
alter table timeseries.workout_detail
  alter column parts set statistics 0;
create table timeseries.workout_track (
  workout_id uuid not null,
  user_id uuid not null,
  data_type text not null,
  hash text not null,
  chunk integer not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  points integer not null,
  located integer not null,
  times bytea not null,
  latitude bytea,
  longitude bytea,
  altitude bytea,
  distance bytea,
  speed bytea,
  heart_rate bytea,
  cadence bytea,
  power bytea,
  temperature bytea,
  grade bytea,
  moving bytea,
  constraint workout_track_pkey primary key (workout_id, data_type, hash, chunk)
);
alter table timeseries.workout_track
  alter column times set statistics 0,
  alter column latitude set statistics 0,
  alter column longitude set statistics 0,
  alter column altitude set statistics 0,
  alter column distance set statistics 0,
  alter column speed set statistics 0,
  alter column heart_rate set statistics 0,
  alter column cadence set statistics 0,
  alter column power set statistics 0,
  alter column temperature set statistics 0,
  alter column grade set statistics 0,
  alter column moving set statistics 0;
create index workout_track_located on timeseries.workout_track (user_id, workout_id) where located > 0;
create index workout_track_old on timeseries.workout_track (end_time);
alter table timeseries.deleted_interval add constraint deleted_interval_set_id_fkey foreign key (set_id) references timeseries.interval_set(id) on delete cascade;
alter table timeseries.interval_series add constraint interval_series_series_id_fkey foreign key (series_id) references timeseries.series(id) on delete cascade;
alter table timeseries.interval_source add constraint interval_source_set_id_fkey foreign key (set_id) references timeseries.interval_set(id) on delete cascade;
alter table timeseries.series add constraint series_type_id_fkey foreign key (type_id) references timeseries.series_type(id);
alter table timeseries.workout_detail add constraint workout_detail_workout_id_fkey foreign key (workout_id) references timeseries.workout(id) on delete cascade;
alter table timeseries.workout_track add constraint workout_track_workout_id_fkey foreign key (workout_id) references timeseries.workout(id) on delete cascade;
create trigger changes after insert or delete or update on timeseries.day_value
  for each row
  execute function changes.of_day_value();
create trigger changes_delete after delete on timeseries.epoch_part
  referencing old table as before_rows
  for each statement
  execute function changes.of_epoch_parts();
create trigger changes_insert after insert on timeseries.epoch_part
  referencing new table as after_rows
  for each statement
  execute function changes.of_epoch_parts();
create trigger changes_update after update on timeseries.epoch_part
  referencing old table as before_rows new table as after_rows
  for each statement
  execute function changes.of_epoch_parts();
create trigger changes_delete after delete on timeseries.interval_value
  referencing old table as written
  for each statement
  execute function changes.of_intervals();
create trigger changes_insert after insert on timeseries.interval_value
  referencing new table as written
  for each statement
  execute function changes.of_intervals();
create trigger changes_update after update on timeseries.interval_value
  referencing old table as before_rows new table as after_rows
  for each statement
  execute function changes.of_moved_intervals();
create trigger changes after insert or delete or update on timeseries.provider_day for each row execute function changes.of_day();
create trigger enqueue_purge after insert or update of version on timeseries.purge
  for each row
  execute function jobs.enqueue_written('timeseries.purge', '{user_id,provider}', '{user_id,provider}');
create trigger changes_delete after delete on timeseries.sample for each statement execute function changes.of_deleted_samples();
create trigger changes_insert after insert on timeseries.sample
  referencing new table as written
  for each statement
  execute function changes.of_samples();
create trigger changes_update after update on timeseries.sample
  referencing new table as written
  for each statement
  execute function changes.of_samples();
create trigger sample_after_delete after delete on timeseries.sample
  for each statement
  execute function timeseries.sample_after_delete();
create trigger sample_after_insert after insert on timeseries.sample
  referencing new table as inserted
  for each statement
  execute function timeseries.sample_after_insert();
create trigger sample_after_update after update on timeseries.sample
  referencing old table as before new table as after
  for each statement
  execute function timeseries.sample_after_update();
create trigger sample_before_insert before insert on timeseries.sample
  for each statement
  execute function timeseries.sample_before_insert();
create trigger sample_collect_deleted after delete on timeseries.sample
  for each row
  execute function timeseries.collect_deleted_sample();
create trigger changes_delete after delete on timeseries.sample_local_day
  referencing old table as written
  for each statement
  execute function changes.of_local_days();
create trigger changes_insert after insert on timeseries.sample_local_day
  referencing new table as written
  for each statement
  execute function changes.of_local_days();
create trigger changes_update after update on timeseries.sample_local_day
  referencing new table as written
  for each statement
  execute function changes.of_local_days();
create trigger changes after delete on timeseries.series
  referencing old table as removed
  for each statement
  execute function changes.of_series();
create trigger changes after insert or delete or update on timeseries.sleep_session
  for each row
  execute function changes.of_sleep();
create trigger mark_night_delete after delete on timeseries.sleep_session
  for each row
  when (not old.is_nap)
  execute function timeseries.mark_night();
create trigger mark_night_insert after insert on timeseries.sleep_session
  for each row
  when (not new.is_nap)
  execute function timeseries.mark_night();
create trigger mark_night_update after update on timeseries.sleep_session
  for each row
  when ((not (old.is_nap and new.is_nap)) and ((old.user_id, old.provider, old.date, old.is_nap, old.device, old.start_time, old.end_time, old.asleep_seconds) is distinct from (new.user_id, new.provider, new.date, new.is_nap, new.device, new.start_time, new.end_time, new.asleep_seconds)))
  execute function timeseries.mark_night();
create trigger enqueue_erasure after insert on timeseries.tombstone
  for each row
  execute function jobs.enqueue_written('timeseries.erasure', '{user_id}', '{}');
create trigger changes after insert or delete or update on timeseries.workout for each row execute function changes.of_workout();
create trigger changes_of_day after insert or delete or update on timeseries.workout
  for each row
  execute function changes.of_day();
create trigger wipe_details after update on timeseries.workout
  for each row
  when ((new.deleted_at is not null) and (not new.hidden))
  execute function timeseries.wipe_details();
create trigger changes after insert or delete or update on timeseries.workout_detail
  for each row
  execute function changes.of_workout_detail();
insert into timeseries.retention default values;
create schema deliveries;
create table deliveries.answer_minute (
  provider text not null,
  minute timestamptz not null,
  requests integer not null,
  failed integer not null,
  rejected integer not null,
  total_ms float8 not null,
  slowest_ms float8 not null,
  constraint answer_minute_pkey primary key (provider, minute)
);
create table deliveries.delivery (
  id uuid default gen_random_uuid() not null,
  provider text not null,
  kind text not null,
  state text default 'ready' not null,
  priority smallint default 0 not null,
  attempts integer default 0 not null,
  max_attempts integer default 16 not null,
  run_at timestamptz default now() not null,
  received_at timestamptz default now() not null,
  replayed_at timestamptz,
  done_at timestamptz,
  error text,
  headers jsonb not null,
  answer json,
  body bytea not null,
  erased_at timestamptz,
  sender text,
  received_bytes integer,
  authenticated boolean default false not null,
  sealed_bytes integer,
  crashes smallint default 0 not null,
  constraint delivery_state_check check (state in ('ready', 'working', 'done', 'dead')),
  constraint delivery_pkey primary key (id)
);
alter table deliveries.delivery
  alter column headers set statistics 0,
  alter column answer set statistics 0,
  alter column body set statistics 0;
create index delivery_closed on deliveries.delivery (done_at) where done_at is not null;
create index delivery_due on deliveries.delivery (provider, kind, priority, run_at) where state in ('ready', 'working');
create index delivery_listed on deliveries.delivery (state, received_at, id);
create index delivery_of_provider on deliveries.delivery (provider, state, received_at, id);
create index delivery_sender on deliveries.delivery (sender) include (received_bytes) where sender is not null;
create table deliveries.erasure (
  provider text not null,
  provider_user_id text not null,
  received_until timestamptz not null,
  place uuid default '00000000-0000-0000-0000-000000000000'::uuid not null,
  passed boolean default false not null,
  waiting uuid[] default '{}'::uuid[] not null,
  run_at timestamptz not null,
  constraint erasure_pkey primary key (provider, provider_user_id, received_until)
);
alter table deliveries.erasure
  alter column provider_user_id set statistics 0;
create table deliveries.normaliser (
  provider text not null,
  version integer not null,
  constraint normaliser_pkey primary key (provider)
);
create table deliveries.progress (
  delivery_id uuid not null,
  entry text not null,
  body bytea,
  result json,
  result_at timestamptz,
  constraint progress_pkey primary key (delivery_id, entry)
);
alter table deliveries.progress
  alter column body set statistics 0,
  alter column result set statistics 0;
create table deliveries.received_minute (
  minute timestamptz not null,
  provider text not null,
  process uuid not null,
  deliveries integer not null,
  records integer not null,
  samples integer not null,
  constraint received_minute_pkey primary key (minute, provider, process)
);
create table deliveries.reprocess_run (
  id uuid default gen_random_uuid() not null,
  provider text not null,
  type text,
  from_time timestamptz,
  to_time timestamptz,
  dry_run boolean not null,
  normaliser_version smallint not null,
  state text default 'running' not null,
  place_at timestamptz,
  place_id uuid,
  "position" jsonb,
  deliveries_total integer not null,
  deliveries_done integer default 0 not null,
  deliveries_failed integer default 0 not null,
  changes jsonb not null,
  items jsonb not null,
  created_at timestamptz default now() not null,
  finished_at timestamptz,
  constraint reprocess_run_state_check check (state in ('running', 'done', 'cancelled')),
  constraint reprocess_run_pkey primary key (id)
);
create unique index reprocess_run_running on deliveries.reprocess_run (provider, coalesce(type, ''), coalesce(from_time, '-infinity'), coalesce(to_time, 'infinity'), dry_run) where state = 'running';
create table deliveries.sealed_body (
  delivery_id uuid not null,
  entry text not null,
  key_id text not null,
  sealed bytea not null,
  body_bytes integer not null,
  done_at timestamptz,
  constraint sealed_body_pkey primary key (delivery_id, entry)
);
alter table deliveries.sealed_body alter column sealed set storage external;
create index sealed_body_done on deliveries.sealed_body (done_at);
create index sealed_body_key on deliveries.sealed_body (key_id);
create table deliveries.stored (
  sender text not null,
  bytes bigint not null,
  constraint stored_pkey primary key (sender)
);
alter table deliveries.progress add constraint progress_delivery_id_fkey foreign key (delivery_id) references deliveries.delivery(id) on delete cascade;
alter table deliveries.sealed_body add constraint sealed_body_delivery_id_fkey foreign key (delivery_id) references deliveries.delivery(id) on delete cascade;
create trigger enqueue_erasure after insert on deliveries.erasure
  for each row
  execute function jobs.enqueue_written('deliveries.erasure', '{}', '{}');
insert into deliveries.normaliser (provider, version) values ('devicemaker', 4), ('phone', 4);
create schema activitynet;
create function activitynet.clock(ahead_ms float8) returns timestamptz language sql
    return (clock_timestamp() + (ahead_ms * '00:00:00.001'::interval));
create function activitynet.day_of(at timestamptz) returns timestamptz language sql immutable parallel safe
    return date_bin('1 day'::interval, at, '1970-01-01 00:00:00+00'::timestamptz);
create function activitynet.quarter_of(at timestamptz) returns timestamptz language sql immutable parallel safe
    return date_bin('00:15:00'::interval, at, '1970-01-01 00:00:00+00'::timestamptz);
CREATE TABLE activitynet.activity (
  user_id uuid NOT NULL,
  object_id bigint NOT NULL,
  connection_id uuid NOT NULL,
  create_time bigint,
  update_time bigint,
  delete_time bigint,
  work text,
  priority smallint DEFAULT 0 NOT NULL,
  turn bigint NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  attempt integer DEFAULT 0 NOT NULL,
  crashes smallint DEFAULT 0 NOT NULL,
  failures smallint DEFAULT 0 NOT NULL,
  leased boolean DEFAULT false NOT NULL,
  run_at timestamptz DEFAULT now() NOT NULL,
  fetched_at timestamptz,
  streams_for text,
  error text,
  history_id uuid,
  unconfirmed boolean DEFAULT false NOT NULL,
  authenticated boolean DEFAULT true NOT NULL,
  prepaid boolean DEFAULT false NOT NULL,
  CONSTRAINT activity_work_check CHECK ((work = ANY (ARRAY['fetch', 'delete']))),
  CONSTRAINT activity_pkey PRIMARY KEY (user_id, object_id)
);
alter table activitynet.activity
  alter column object_id set statistics 0,
  alter column streams_for set statistics 0;
CREATE INDEX activity_due ON activitynet.activity (priority, turn, object_id) WHERE (work IS NOT NULL);
CREATE INDEX activity_given_up ON activitynet.activity (object_id) WHERE ((work IS NULL) AND ((failures > 0) OR (error = 'CRASHED')));
create index activity_of_history on activitynet.activity (history_id) where history_id is not null;
create index activity_open_of_connection on activitynet.activity (connection_id) where work is not null;
create index activity_open_of_history on activitynet.activity (history_id) where (history_id is not null) and (work is not null);
create index activity_unauthenticated on activitynet.activity (user_id) where (work is not null) and (not authenticated);
create table activitynet.budget (
  application text not null,
  quarter timestamptz default '-infinity' not null,
  quarter_used integer default 0 not null,
  quarter_others integer default 0 not null,
  quarter_limit integer,
  day timestamptz default '-infinity' not null,
  day_used integer default 0 not null,
  day_others integer default 0 not null,
  day_limit integer,
  open integer default 0 not null,
  failures integer default 0 not null,
  paused_until timestamptz,
  probing boolean default false not null,
  constraint budget_pkey primary key (application)
);
create table activitynet.fruitless_reads (
  application text not null,
  quarter timestamptz not null,
  quarter_used integer not null,
  day timestamptz not null,
  day_used integer not null,
  constraint fruitless_reads_pkey primary key (application)
);
create table activitynet.history (
  id uuid default gen_random_uuid() not null,
  connection_id uuid not null,
  user_id uuid not null,
  connected_at timestamptz(3) not null,
  start_time timestamp(0) with time zone not null,
  end_time timestamp(0) with time zone not null,
  state text default 'listing' not null,
  reason text,
  pages integer default 0 not null,
  found integer default 0 not null,
  failures smallint default 0 not null,
  attempt integer default 0 not null,
  run_at timestamptz default now() not null,
  created_at timestamptz(3) default now() not null,
  listed_at timestamptz(3),
  finished_at timestamptz(3),
  constraint history_state_check check (state in ('listing', 'fetching', 'done', 'cancelled', 'stopped', 'failed')),
  constraint history_connection_id_key unique (connection_id),
  constraint history_pkey primary key (id)
);
create index history_due on activitynet.history (run_at) where state = 'listing';
create index history_user on activitynet.history (user_id);
create table activitynet.owner_reads (
  user_id uuid not null,
  day timestamptz not null,
  used integer not null,
  fruitless integer not null,
  constraint owner_reads_pkey primary key (user_id)
);
create table activitynet.skipped (
  date date not null,
  reason text not null,
  n bigint not null,
  constraint skipped_pkey primary key (date, reason)
);
create trigger changes after insert or update on activitynet.history for each row execute function changes.of_backfill();
create schema backfill;
create table backfill.receipt (
  run_id uuid not null,
  delivery_id uuid not null,
  type text not null,
  "position" integer not null,
  items integer not null,
  saved integer not null,
  completed boolean not null,
  chained boolean not null,
  constraint receipt_pkey primary key (run_id, delivery_id, type)
);
create table backfill.run (
  id uuid default gen_random_uuid() not null,
  connection_id uuid not null,
  user_id uuid not null,
  provider text not null,
  connected_at timestamptz(3) not null,
  start_time timestamp(0) with time zone not null,
  end_time timestamp(0) with time zone not null,
  state text default 'running' not null,
  reason text,
  attempt integer default 0 not null,
  asking boolean default false not null,
  run_at timestamptz default now() not null,
  created_at timestamptz(3) default now() not null,
  finished_at timestamptz(3),
  constraint run_state_check check (state in ('running', 'done', 'cancelled', 'stopped', 'failed')),
  constraint run_connection_id_key unique (connection_id),
  constraint run_pkey primary key (id)
);
create index run_due on backfill.run (provider, run_at) where state = 'running';
create index run_user on backfill.run (user_id);
create table backfill.step (
  run_id uuid not null,
  "position" integer not null,
  type text not null,
  start_time timestamp(0) with time zone not null,
  end_time timestamp(0) with time zone not null,
  state text default 'waiting' not null,
  reason text,
  attempts integer default 0 not null,
  requested_at timestamptz(3),
  deadline timestamptz(3),
  received_at timestamptz(3),
  items integer default 0 not null,
  saved integer default 0 not null,
  constraint step_state_check check (state in ('waiting', 'requested', 'received', 'skipped', 'failed')),
  constraint step_pkey primary key (run_id, "position")
);
alter table backfill.receipt add constraint receipt_run_id_position_fkey foreign key (run_id, "position") references backfill.step(run_id, "position") on delete cascade;
alter table backfill.step add constraint step_run_id_fkey foreign key (run_id) references backfill.run(id) on delete cascade;
create trigger changes after insert or update on backfill.run for each row execute function changes.of_backfill();
create trigger changes after update of state on backfill.step for each row execute function changes.of_backfill_type();
create schema connect;
create table connect.attempt (
  state_hash text not null,
  user_id uuid not null,
  provider text not null,
  redirect_uri text,
  callback_uri text not null,
  verifier text,
  created_at timestamptz default now() not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  session_id uuid,
  constraint attempt_pkey primary key (state_hash)
);
alter table connect.attempt
  alter column redirect_uri set statistics 0,
  alter column callback_uri set statistics 0,
  alter column verifier set statistics 0;
create index attempt_expires on connect.attempt (expires_at);
create table connect.history (
  user_id uuid not null,
  provider text not null,
  run_at timestamptz default now() not null,
  attempts integer default 0 not null,
  wanted_at timestamptz default now() not null,
  constraint history_pkey primary key (user_id, provider)
);
create table connect.session (
  id uuid not null,
  token_hash text not null,
  user_id uuid not null,
  providers text[] not null,
  redirect_uri text,
  language text,
  browser_hash text,
  connected text[] default '{}'::text[] not null,
  last_provider text,
  last_status text,
  last_reason text,
  created_at timestamptz default now() not null,
  expires_at timestamptz not null,
  constraint session_pkey primary key (id),
  constraint session_token_hash_key unique (token_hash)
);
create index session_expires on connect.session (expires_at);
create trigger enqueue before insert on connect.history
  for each row
  execute function jobs.enqueue_instead('connect.backfill', '{user_id,provider}', '{user_id,provider}');
create schema webhooks;
create table webhooks.attempt (
  message_id uuid not null,
  number integer not null,
  at timestamptz default now() not null,
  status integer,
  duration_ms integer not null,
  error text,
  answer text,
  constraint attempt_pkey primary key (message_id, number)
);
alter table webhooks.attempt
  alter column answer set statistics 0;
create index attempt_old on webhooks.attempt (at);
create table webhooks.deleted_key (
  id uuid not null,
  deleted_at timestamptz default now() not null,
  constraint deleted_key_pkey primary key (id)
);
create table webhooks.endpoint (
  id uuid default gen_random_uuid() not null,
  url text not null,
  description text,
  event_types text[],
  include_data boolean default false not null,
  max_per_second integer,
  enabled boolean default true not null,
  disabled_reason text,
  secret text not null,
  former_secret text,
  former_until timestamptz,
  failing_since timestamptz,
  last_delivered_at timestamptz,
  paused_until timestamptz,
  created_at timestamptz default now() not null,
  updated_at timestamptz default now() not null,
  api_key_id uuid,
  constraint endpoint_pkey primary key (id)
);
alter table webhooks.endpoint
  alter column url set statistics 0,
  alter column secret set statistics 0,
  alter column former_secret set statistics 0;
create table webhooks.message (
  id uuid default gen_random_uuid() not null,
  endpoint_id uuid not null,
  change_id bigint,
  user_id uuid,
  type text not null,
  lane smallint default 0 not null,
  state text default 'waiting' not null,
  leased boolean default false not null,
  attempt integer default 0 not null,
  failures integer default 0 not null,
  crashes integer default 0 not null,
  run_at timestamptz default now() not null,
  recorded_at timestamptz not null,
  created_at timestamptz default now() not null,
  delivered_at timestamptz,
  constraint message_state_check check (state in ('waiting', 'delivered', 'failed', 'dropped')),
  constraint message_pkey primary key (id)
);
create index message_due on webhooks.message (endpoint_id, lane, run_at) where state = 'waiting';
create index message_failed on webhooks.message (endpoint_id, created_at, id) where state in ('failed', 'dropped');
create index message_listed on webhooks.message (endpoint_id, created_at, id);
create index message_of_user on webhooks.message (user_id) where user_id is not null;
create index message_old on webhooks.message (created_at);
alter table webhooks.attempt add constraint attempt_message_id_fkey foreign key (message_id) references webhooks.message(id) on delete cascade;
create schema gateway;
create table gateway.idempotent_answer (
  caller text not null,
  route text not null,
  key_hash bytea not null,
  request text not null,
  status smallint,
  answer text,
  user_id uuid,
  created_at timestamptz default now() not null,
  constraint idempotent_answer_pkey primary key (caller, route, key_hash)
);
alter table gateway.idempotent_answer
  alter column request set statistics 0,
  alter column answer set statistics 0;
create index idempotent_answer_created on gateway.idempotent_answer (created_at);
create index idempotent_answer_user on gateway.idempotent_answer (user_id) where user_id is not null;
create schema phone;
create table phone.deleted (
  user_id uuid not null,
  id text not null,
  deleted_at timestamptz default now() not null,
  constraint deleted_pkey primary key (user_id, id)
);
create table phone.fence (
  user_id uuid not null,
  id uuid default gen_random_uuid() not null,
  constraint fence_pkey primary key (user_id)
);
create table phone.first_sync (
  user_id uuid not null,
  id uuid not null,
  connection_id uuid not null,
  state text not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  created_at timestamptz default now() not null,
  finished_at timestamptz,
  constraint first_sync_state_check check (state in ('running', 'done', 'stopped')),
  constraint first_sync_pkey primary key (user_id)
);
create table phone.invitation_code (
  hash text not null,
  user_id uuid not null,
  developer_id uuid,
  created_at timestamptz default now() not null,
  expires_at timestamptz not null,
  redeemed_at timestamptz,
  id uuid default gen_random_uuid() not null,
  constraint invitation_code_pkey primary key (hash)
);
create index invitation_code_expires on phone.invitation_code (expires_at);
create index invitation_code_user on phone.invitation_code (user_id);
create table phone.night (
  user_id uuid not null,
  id uuid not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  asleep_seconds integer not null,
  is_nap boolean not null,
  hash text not null,
  constraint night_pkey primary key (user_id, id)
);
create index night_time on phone.night (user_id, start_time);
create table phone.phase (
  user_id uuid not null,
  id text not null,
  source text not null,
  device text not null,
  device_type text not null,
  stage text not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  zone_offset_minutes integer,
  score integer,
  settled_at timestamptz,
  constraint phase_pkey primary key (user_id, id)
);
create index phase_time on phone.phase (user_id, start_time);
create index phase_unsettled on phone.phase (user_id) where settled_at is null;
create table phone.receipt (
  delivery_id uuid not null,
  user_id uuid not null,
  created_at timestamptz default now() not null,
  constraint receipt_pkey primary key (delivery_id)
);
create index receipt_created on phone.receipt (created_at);
create index receipt_user on phone.receipt (user_id);
create table phone.reopened (
  user_id uuid not null,
  start_time timestamptz not null,
  end_time timestamptz not null
);
create index reopened_user on phone.reopened (user_id);
create table phone.sample_block (
  user_id uuid not null,
  key text not null,
  series text not null,
  device text not null,
  ids bytea not null,
  times bytea not null,
  constraint sample_block_pkey primary key (user_id, key)
);
create index sample_block_series on phone.sample_block (user_id, series);
create table phone.sync_type (
  user_id uuid not null,
  type text not null,
  expected bigint,
  sent bigint,
  failed boolean default false not null,
  started_at timestamptz default now() not null,
  ended_at timestamptz,
  shares integer default 1 not null,
  ends jsonb default '{}' not null,
  constraint sync_type_pkey primary key (user_id, type)
);
create table phone.unmapped (
  user_id uuid not null,
  type text not null,
  items bigint not null,
  constraint unmapped_pkey primary key (user_id, type)
);
create table phone.upload_ids (
  delivery_id uuid not null,
  user_id uuid not null,
  ids bytea not null,
  created_at timestamptz default now() not null,
  constraint upload_ids_pkey primary key (delivery_id)
);
create index upload_ids_created on phone.upload_ids (created_at);
create index upload_ids_user on phone.upload_ids (user_id);
create trigger changes after insert or update on phone.first_sync for each row execute function changes.of_backfill();
create trigger changes after insert or update on phone.sync_type for each row execute function changes.of_sync_type();
create schema pull;
create function pull.capped(spans tstzmultirange) returns tstzmultirange language sql immutable as $$ select case when (select count(*) from unnest(spans)) > 64 then tstzmultirange(range_merge(spans)) else spans end $$;
create function pull.reserve(scopes text[], intervals_ms float8[], bursts float8[]) returns float8 language plpgsql as $$
declare
  instant timestamptz;
  wait float8;
begin
  insert into pull.rate (scope) select s from unnest(scopes) s order by s on conflict do nothing;
  perform from pull.rate r where r.scope = any(scopes) order by r.scope for update;
  instant := clock_timestamp();
  select max(greatest(0, extract(epoch from r.paused_until - instant) * 1000,
      extract(epoch from greatest(r.busy_until, instant) - instant) * 1000 - (w.burst - 1) * w.interval_ms))
    into wait
    from unnest(scopes, intervals_ms, bursts) w (scope, interval_ms, burst) join pull.rate r using (scope);
  if wait > 0 then return wait; end if;
  update pull.rate r set busy_until = greatest(r.busy_until, instant) + w.interval_ms * interval '1 ms'
    from unnest(scopes, intervals_ms) w (scope, interval_ms) where r.scope = w.scope;
  return 0;
end $$;
create table pull.connection (
  connection_id uuid not null,
  provider text not null,
  user_id uuid not null,
  connected_at timestamptz not null,
  ended_at timestamptz,
  unauthenticated_at timestamptz,
  subscribe_at timestamptz,
  subscribed_at timestamptz,
  created_at timestamptz default now() not null,
  constraint connection_pkey primary key (connection_id)
);
create index connection_user on pull.connection (user_id);
create unlogged table pull.rate (
  scope text not null,
  busy_until timestamptz default '1970-01-01 00:00:00+00' not null,
  paused_until timestamptz default '1970-01-01 00:00:00+00' not null,
  constraint rate_pkey primary key (scope)
);
create table pull.reading (
  connection_id uuid not null,
  type text not null,
  spans tstzmultirange default '{}'::tstzmultirange not null,
  taken tstzmultirange default '{}'::tstzmultirange not null,
  past tstzmultirange default '{}'::tstzmultirange not null,
  from_cursor boolean default false not null,
  taken_cursor boolean default false not null,
  cursor text,
  last_read_at timestamptz,
  run_at timestamptz,
  leased boolean default false not null,
  attempt integer default 0 not null,
  failures integer default 0 not null,
  crashes integer default 0 not null,
  error text,
  constraint reading_pkey primary key (connection_id, type)
);
create index reading_due on pull.reading ((((spans = '{}'::tstzmultirange) and (taken = '{}'::tstzmultirange) and (not from_cursor) and (not taken_cursor))), run_at) where run_at is not null;
create table pull.run (
  connection_id uuid not null,
  id uuid not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  state text default 'running' not null,
  reason text,
  created_at timestamptz default now() not null,
  finished_at timestamptz,
  constraint run_pkey primary key (connection_id)
);
create table pull.run_type (
  connection_id uuid not null,
  type text not null,
  status text default 'waiting' not null,
  reason text,
  parts integer not null,
  parts_done integer default 0 not null,
  items integer default 0 not null,
  saved integer default 0 not null,
  requested_at timestamptz,
  received_at timestamptz,
  constraint run_type_pkey primary key (connection_id, type)
);
create table pull.skipped (
  provider text not null,
  day date not null,
  reason text not null,
  n integer not null,
  constraint skipped_pkey primary key (provider, day, reason)
);
create table pull.subscription (
  provider text not null,
  state text not null,
  checked_at timestamptz not null,
  since timestamptz not null,
  constraint subscription_pkey primary key (provider)
);
create table pull.sweep (
  connection_id uuid not null,
  type text not null,
  number integer not null,
  due_at timestamptz not null,
  constraint sweep_pkey primary key (connection_id, type, number)
);
create index sweep_due on pull.sweep (due_at);
alter table pull.reading add constraint reading_connection_id_fkey foreign key (connection_id) references pull.connection(connection_id) on delete cascade;
alter table pull.run add constraint run_connection_id_fkey foreign key (connection_id) references pull.connection(connection_id) on delete cascade;
alter table pull.run_type add constraint run_type_connection_id_fkey foreign key (connection_id) references pull.run(connection_id) on delete cascade;
alter table pull.sweep add constraint sweep_connection_id_fkey foreign key (connection_id) references pull.connection(connection_id) on delete cascade;
create trigger changes after insert or update on pull.run for each row execute function changes.of_pulled_backfill();
create trigger changes after update of status on pull.run_type for each row execute function changes.of_pulled_backfill_type();
create table migration (id serial primary key, name varchar(255) not null, executed_at timestamptz default current_timestamp not null);
insert into migration (name) select unnest('{0001-auth,0002-users,0003-timeseries,0004-deliveries,0006-connection-permissions,0006-delivery-progress,0007-backfill,0008-epochs-and-records,0009-activitynet,0010-connect,0011-audit,0012-idempotency,0013-covering-statistics,0014-delivery-erasure,0015-retention,0018-stored-bytes,0019-webhook-authenticity,0020-activity-samples,0021-audit-trail,0023-erasure-upkeep,0024-days-and-nights,0029-access-checks,0034-recordings-of-workouts,0035-epoch-versions,0040-log-in-attempts,0050-known-log-ins,0051-erased-accounts,0052-unconfirmed-deletions,0053-jobs,0060-changes,0061-webhooks,0064-joined-changes,0066-unseen-changes,0067-connection-errors,0072-other-records-by-day,0073-sleep-stages,0074-received-counts,0075-overview,0076-connect-sessions,0080-console-sessions,0084-messages-of-deleted-endpoints,0085-sleep-interval-changes,0086-faster-change-log,0087-intervals,0088-interval-statistics,0090-phone,0094-pull,0097-previous-refresh-token,0099-ended-connections,0100-deliveries-by-provider,0103-workout-details,0110-sleep-details,0111-day-values,0112-reported-zones,0120-normaliser-versions,0121-reprocess-runs,0128-phone-upload-ids,0129-day-value-versions,0130-sealed-bodies,0133-service-roles,0136-compression,0137-long-grams,0138-normaliser-versions,0139-shared-sync-types,0166-counted-statuses,0172-code-id,0173-night-means,0174-delivery-crashes,0180-user-time-zone,0200-failed-log-ins,0201-endpoints-of-keys,0202-refresh-clients,0210-phone-fence,0211-unauthenticated-items,0220-meals,0230-cheaper-statistics}'::text[]);
commit;
