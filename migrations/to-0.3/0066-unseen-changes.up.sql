-- Changes that summaries show and no event reported: the sedentary time of a day, and what only the summary of a night shows.

-- The sums of a day decide: time that moves between two slots of a day changes nothing that is shown.
create function changes.of_epoch_parts() returns trigger language plpgsql as $$
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
create trigger changes_insert after insert on timeseries.epoch_part referencing new table as after_rows
  for each statement execute function changes.of_epoch_parts();
create trigger changes_update after update on timeseries.epoch_part
  referencing old table as before_rows new table as after_rows
  for each statement execute function changes.of_epoch_parts();
create trigger changes_delete after delete on timeseries.epoch_part referencing old table as before_rows
  for each statement execute function changes.of_epoch_parts();

create or replace function changes.of_sleep() returns trigger language plpgsql as $$
declare
  kept timeseries.sleep_session := case when tg_op = 'DELETE' then old else new end;
begin
  if changes.is_erased(kept.user_id) then return null; end if;
  if tg_op = 'UPDATE'
    and (new.start_time, new.end_time, new.date, new.device, new.is_nap, new.asleep_seconds, new.deep_seconds,
      new.light_seconds, new.rem_seconds, new.awake_seconds, new.interruptions)
    is not distinct from (old.start_time, old.end_time, old.date, old.device, old.is_nap, old.asleep_seconds,
      old.deep_seconds, old.light_seconds, old.rem_seconds, old.awake_seconds, old.interruptions)
  then return null; end if;
  perform changes.record(kept.user_id, 'sleep',
    case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'updated' else 'deleted' end,
    kept.id::text, kept.end_time,
    jsonb_build_object('id', kept.id, 'provider', kept.provider, 'device', kept.device, 'is_nap', kept.is_nap),
    kept.start_time, kept.end_time);
  return null;
end $$;
