create or replace function changes.of_workout() returns trigger language plpgsql as $$
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

create or replace function changes.of_sleep() returns trigger language plpgsql as $$
declare
  kept timeseries.sleep_session := case when tg_op = 'DELETE' then old else new end;
begin
  if changes.is_erased(kept.user_id) then return null; end if;
  if tg_op = 'UPDATE'
    and (new.start_time, new.end_time, new.date, new.device, new.is_nap, new.asleep_seconds, new.deep_seconds,
      new.light_seconds, new.rem_seconds, new.awake_seconds, new.interruptions, new.stage_intervals,
      new.unmeasurable_seconds, new.score, new.details)
    is not distinct from (old.start_time, old.end_time, old.date, old.device, old.is_nap, old.asleep_seconds,
      old.deep_seconds, old.light_seconds, old.rem_seconds, old.awake_seconds, old.interruptions,
      old.stage_intervals, old.unmeasurable_seconds, old.score, old.details)
  then return null; end if;
  perform changes.record(kept.user_id, 'sleep',
    case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'updated' else 'deleted' end,
    kept.id::text, kept.end_time,
    jsonb_build_object('id', kept.id, 'provider', kept.provider, 'device', kept.device, 'is_nap', kept.is_nap),
    kept.start_time, kept.end_time);
  return null;
end $$;

alter table timeseries.workout drop column zone_reported;
alter table timeseries.sleep_session drop column zone_reported;
alter table timeseries.other_record drop column zone_reported;
