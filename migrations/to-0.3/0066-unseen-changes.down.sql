drop trigger changes_delete on timeseries.epoch_part;
drop trigger changes_update on timeseries.epoch_part;
drop trigger changes_insert on timeseries.epoch_part;
drop function changes.of_epoch_parts();
create or replace function changes.of_sleep() returns trigger language plpgsql as $$
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
