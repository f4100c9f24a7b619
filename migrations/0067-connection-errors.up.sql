-- Since when the tokens of a connection cannot be refreshed. Null after a success.
alter table users.connection add column refresh_failing_since timestamptz;

-- `created` also of an account that is connected again. `error` and `recovered` of an active one: its reason is its error.
create or replace function changes.of_connection() returns trigger language plpgsql as $$
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

-- The column of the intervals is added by a later migration, so it is read by name.
create or replace function changes.of_sleep() returns trigger language plpgsql as $$
declare
  kept timeseries.sleep_session := case when tg_op = 'DELETE' then old else new end;
begin
  if changes.is_erased(kept.user_id) then return null; end if;
  if tg_op = 'UPDATE'
    and (new.start_time, new.end_time, new.date, new.device, new.is_nap, new.asleep_seconds, new.deep_seconds,
      new.light_seconds, new.rem_seconds, new.awake_seconds, new.interruptions,
      to_jsonb(new) -> 'stage_intervals')
    is not distinct from (old.start_time, old.end_time, old.date, old.device, old.is_nap, old.asleep_seconds,
      old.deep_seconds, old.light_seconds, old.rem_seconds, old.awake_seconds, old.interruptions,
      to_jsonb(old) -> 'stage_intervals')
  then return null; end if;
  perform changes.record(kept.user_id, 'sleep',
    case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'updated' else 'deleted' end,
    kept.id::text, kept.end_time,
    jsonb_build_object('id', kept.id, 'provider', kept.provider, 'device', kept.device, 'is_nap', kept.is_nap),
    kept.start_time, kept.end_time);
  return null;
end $$;
