-- The change log: what applications are told of. A change is recorded by triggers, in the transaction of the data that it
-- describes. It waits in `pending`, where later changes of the same object join it, and is then published to `change`.
create schema changes;

-- How long changes of an object are joined after one of them was published (live), or after the first of them
-- (historical). The service `webhooks` writes its settings here.
create table changes.joining (
  live interval not null,
  historical interval not null
);
insert into changes.joining values ('1 second', '30 seconds');

-- The order of publication.
create sequence changes.place;

-- One row per object. After its publication a row stays for a while, without an action, to delay the next one.
create table changes.pending (
  user_id uuid not null,
  kind text not null,
  -- The id of a record, a date, a series, or empty: of one object one change is pending.
  object text not null,
  place bigint not null default nextval('changes.place'),
  action text,
  -- All data of the change is older than two days.
  historical boolean not null,
  first_at timestamptz,
  last_at timestamptz,
  n bigint not null,
  data jsonb,
  recorded_at timestamptz not null default now(),
  due_at timestamptz,
  published_at timestamptz,
  primary key (user_id, kind, object)
);
create index pending_due on changes.pending (due_at) where due_at is not null;
create index pending_published on changes.pending (published_at) where due_at is null;

-- The last sequence number of each user.
create table changes.user_sequence (
  user_id uuid primary key,
  last bigint not null
);

-- Published changes. Whoever inserts holds the lock of changes.lock_publishing until it commits, so that ids become
-- visible in their order.
create table changes.change (
  id bigint generated always as identity primary key,
  user_id uuid,
  -- At the time of publication.
  external_user_id text,
  -- Without gaps per user, in the order of publication. It is also the version of the object.
  sequence bigint,
  type text not null,
  object text not null,
  historical boolean not null,
  first_at timestamptz,
  last_at timestamptz,
  n bigint not null,
  data jsonb not null,
  recorded_at timestamptz not null,
  published_at timestamptz not null default now()
);
create index change_of_user on changes.change (user_id, id);
create index change_of_type on changes.change (type, id);
create index change_published on changes.change (published_at);
alter table changes.pending alter column data set statistics 0, alter column object set statistics 0;
alter table changes.change alter column data set statistics 0, alter column object set statistics 0,
  alter column external_user_id set statistics 0;

-- The last id that retention deleted: a reader that stopped before it missed changes.
create table changes.expired (
  last_id bigint not null
);
insert into changes.expired values (0);

-- Waits until no other transaction publishes. With `wait` false it returns false instead.
create function changes.lock_publishing(wait boolean) returns boolean language plpgsql as $$
begin
  if not wait then return pg_try_advisory_xact_lock(7358); end if;
  perform pg_advisory_xact_lock(7358);
  return true;
end $$;

-- Records a change, or joins it to the pending one of its object.
create function changes.record(whose uuid, of_kind text, what text, of_object text, at timestamptz, details jsonb,
  from_time timestamptz default null, until_time timestamptz default null, values_written bigint default 0) returns void
language plpgsql as $$
declare
  is_historical boolean := coalesce(at < now() - interval '2 days', false);
begin
  if current_setting('changes.unrecorded', true) = 'on' then return; end if;
  insert into changes.pending as p (user_id, kind, object, action, historical, first_at, last_at, n, data, due_at)
  select whose, of_kind, of_object, what, is_historical, from_time, until_time, values_written, details,
    now() + case when is_historical then j.historical else '0' end
  from changes.joining j
  on conflict (user_id, kind, object) do update set
    action = case
      when p.action = 'created' and excluded.action = 'updated' then 'created'
      when p.action = 'deleted' and excluded.action = 'created' then 'updated'
      else excluded.action end,
    place = case when p.action is null then nextval('changes.place') else p.place end,
    historical = excluded.historical and (p.historical or p.action is null),
    first_at = case when p.action is null then excluded.first_at else least(p.first_at, excluded.first_at) end,
    last_at = case when p.action is null then excluded.last_at else greatest(p.last_at, excluded.last_at) end,
    n = case when p.action is null then excluded.n else p.n + excluded.n end,
    data = excluded.data,
    recorded_at = case when p.action is null then excluded.recorded_at else p.recorded_at end,
    due_at = case when p.due_at is not null then least(p.due_at, excluded.due_at)
      else greatest(excluded.due_at,
        p.published_at + (select case when is_historical then j.historical else j.live end from changes.joining j)) end;
end $$;

-- No change is recorded of an erased user: `user.deleted` says it all.
-- In plpgsql, which keeps the plan: a function in SQL is planned anew in each transaction, which costs 0.2 ms.
create function changes.is_erased(whose uuid) returns boolean language plpgsql stable as $$
begin
  return exists (select from timeseries.tombstone where user_id = whose)
    or exists (select from users.person where id = whose and deleted_at is not null);
end $$;

-- The user's id in the system of the customer.
create function changes.external_id(whose uuid) returns text language sql stable as $$
  select external_user_id from users.person where id = whose $$;

create function changes.of_workout() returns trigger language plpgsql as $$
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
      new.elevation_gain_meters, new.private)
    is not distinct from (old.type, old.name, old.start_time, old.end_time, old.duration_seconds, old.device,
      old.calories_kcal, old.distance_meters, old.avg_heart_rate_bpm, old.max_heart_rate_bpm, old.avg_pace_sec_per_km,
      old.elevation_gain_meters, old.private)
  then return null; end if;
  perform changes.record(kept.user_id, 'workout',
    case when not was_listed then 'created' when is_listed then 'updated' else 'deleted' end,
    kept.id::text, kept.end_time,
    jsonb_build_object('id', kept.id, 'provider', kept.provider, 'device', kept.device, 'type', kept.type),
    kept.start_time, kept.end_time);
  return null;
end $$;
create trigger changes after insert or update or delete on timeseries.workout
  for each row execute function changes.of_workout();

create function changes.of_sleep() returns trigger language plpgsql as $$
declare
  kept timeseries.sleep_session := case when tg_op = 'DELETE' then old else new end;
begin
  if changes.is_erased(kept.user_id) then return null; end if;
  if tg_op = 'UPDATE'
    and (new.start_time, new.end_time, new.device, new.is_nap, new.asleep_seconds, new.deep_seconds, new.light_seconds,
      new.rem_seconds, new.awake_seconds)
    is not distinct from (old.start_time, old.end_time, old.device, old.is_nap, old.asleep_seconds, old.deep_seconds,
      old.light_seconds, old.rem_seconds, old.awake_seconds)
  then return null; end if;
  perform changes.record(kept.user_id, 'sleep',
    case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'updated' else 'deleted' end,
    kept.id::text, kept.end_time,
    jsonb_build_object('id', kept.id, 'provider', kept.provider, 'device', kept.device, 'is_nap', kept.is_nap),
    kept.start_time, kept.end_time);
  return null;
end $$;
create trigger changes after insert or update or delete on timeseries.sleep_session
  for each row execute function changes.of_sleep();

-- Samples that were inserted or changed. Removed samples are recorded as a change that wrote no value.
create function changes.of_samples() returns trigger language plpgsql as $$
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
create trigger changes_insert after insert on timeseries.sample referencing new table as written
  for each statement execute function changes.of_samples();
create trigger changes_update after update on timeseries.sample referencing new table as written
  for each statement execute function changes.of_samples();
create trigger changes_delete after delete on timeseries.sample referencing old table as written
  for each statement execute function changes.of_samples();

-- The series types that a summary is made of. The service `timeseries` fills it from the catalogue.
create table changes.summary_type (
  type_id smallint not null,
  summary text not null,
  primary key (type_id, summary)
);

-- Records that the summaries of a day changed.
create function changes.record_summary(whose uuid, summary text, day date, last_day date) returns void
language sql as $$
  select changes.record(whose, summary, 'updated', coalesce(day::text, ''), last_day + 1,
    case when day is null then '{}' else jsonb_build_object('date', day) end) $$;

-- A series that is removed as a whole, before its samples.
create function changes.of_series() returns trigger language plpgsql as $$
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
create trigger changes after delete on timeseries.series referencing old table as removed
  for each statement execute function changes.of_series();

create function changes.of_local_days() returns trigger language plpgsql as $$
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
create trigger changes_insert after insert on timeseries.sample_local_day referencing new table as written
  for each statement execute function changes.of_local_days();
create trigger changes_update after update on timeseries.sample_local_day referencing new table as written
  for each statement execute function changes.of_local_days();
create trigger changes_delete after delete on timeseries.sample_local_day referencing old table as written
  for each statement execute function changes.of_local_days();

-- The totals of a day, and the workouts that count on it.
create function changes.of_day() returns trigger language plpgsql as $$
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
create trigger changes_of_day after insert or update or delete on timeseries.workout
  for each row execute function changes.of_day();
create trigger changes after insert or update or delete on timeseries.provider_day
  for each row execute function changes.of_day();

create function changes.of_user() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform changes.record(new.id, 'user', 'created', '', null, '{}');
  elsif new.deleted_at is not null and old.deleted_at is null then
    perform changes.record(new.id, 'user', 'deleted', '', null, '{}');
  elsif new.deleted_at is null and (new.first_name, new.last_name, new.email, new.external_user_id)
    is distinct from (old.first_name, old.last_name, old.email, old.external_user_id) then
    perform changes.record(new.id, 'user', 'updated', '', null, '{}');
  end if;
  return null;
end $$;
create trigger changes after insert or update on users.person
  for each row execute function changes.of_user();

-- `created` also of an account that is connected again.
create function changes.of_connection() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (new.status, new.connected_at) is not distinct from (old.status, old.connected_at) then return null; end if;
  if exists (select from users.person where id = new.user_id and deleted_at is not null) then return null; end if;
  perform changes.record(new.user_id, 'connection', case new.status when 'active' then 'created' else new.status end,
    new.id::text, null, jsonb_build_object('connection_id', new.id, 'provider', new.provider));
  return null;
end $$;
create trigger changes after insert or update on users.connection
  for each row execute function changes.of_connection();

create function changes.of_backfill() returns trigger language plpgsql as $$
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
create trigger changes after insert or update on backfill.run
  for each row execute function changes.of_backfill();
create trigger changes after insert or update on activitynet.history
  for each row execute function changes.of_backfill();

-- A data type of a backfill without open requests.
create function changes.of_backfill_type() returns trigger language plpgsql as $$
begin
  if new.state in ('waiting', 'requested') or old.state not in ('waiting', 'requested') then return null; end if;
  perform changes.record(r.user_id, 'backfill', 'type_completed', r.id || ':' || new.type, null,
    jsonb_build_object('backfill_id', r.id, 'connection_id', r.connection_id, 'provider', r.provider, 'data_type', new.type))
  from backfill.run r where r.id = new.run_id and r.state = 'running' and not exists (
    select from backfill.step s where s.run_id = r.id and s.type = new.type and s.state in ('waiting', 'requested'));
  return null;
end $$;
create trigger changes after update of state on backfill.step
  for each row execute function changes.of_backfill_type();
