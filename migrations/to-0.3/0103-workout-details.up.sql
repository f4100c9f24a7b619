-- What providers send of a workout beside its fields: details, laps and splits, by data type. `track_of` and `track_hash`
-- name the data type and the version whose track is complete. Rows are deleted with their workout.
create table timeseries.workout_detail (
  workout_id uuid primary key references timeseries.workout (id) on delete cascade,
  user_id uuid not null,
  parts jsonb not null default '{}',
  track_of text,
  track_hash text
);
-- Planner statistics would copy values into a table of their own; no statement filters by the column.
alter table timeseries.workout_detail alter column parts set statistics 0;

-- The track of a workout: at most 1,800 points a row, a column per stream. domain/workouts/track-codec.ts encodes them: about
-- 2 bytes a value. `hash` is the version of the item. Positions are location data.
create table timeseries.workout_track (
  workout_id uuid not null references timeseries.workout (id) on delete cascade,
  user_id uuid not null,
  data_type text not null,
  hash text not null,
  chunk int not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  points int not null,
  located int not null,
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
  primary key (workout_id, data_type, hash, chunk)
);
create index workout_track_old on timeseries.workout_track (end_time);
create index workout_track_located on timeseries.workout_track (user_id, workout_id) where located > 0;
alter table timeseries.workout_track
  alter column times set statistics 0, alter column latitude set statistics 0, alter column longitude set statistics 0,
  alter column altitude set statistics 0, alter column distance set statistics 0, alter column speed set statistics 0,
  alter column heart_rate set statistics 0, alter column cadence set statistics 0, alter column power set statistics 0,
  alter column temperature set statistics 0, alter column grade set statistics 0, alter column moving set statistics 0;

-- What is stored of the routes of a user. `version` counts changes. Without a row the setting STORE_ROUTES applies.
create table timeseries.route_privacy (
  user_id uuid primary key,
  stores boolean,
  zones jsonb not null default '[]',
  version int not null
);
alter table timeseries.route_privacy alter column zones set statistics 0;

-- A workout that is marked as deleted keeps no health data. Processes of the previous version mark workouts too.
create function timeseries.wipe_details() returns trigger language plpgsql as $$
begin
  delete from timeseries.workout_track where workout_id = new.id;
  delete from timeseries.workout_detail where workout_id = new.id;
  return null;
end $$;
create trigger wipe_details after update on timeseries.workout for each row
  when (new.deleted_at is not null and not new.hidden) execute function timeseries.wipe_details();

-- The parts of a multisport activity.
create index workout_of_parent on timeseries.workout (user_id, provider, parent_id) where parent_id is not null;

-- Details of a listed workout are a change of the workout.
create function changes.of_workout_detail() returns trigger language plpgsql as $$
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
create trigger changes after insert or update or delete on timeseries.workout_detail
  for each row execute function changes.of_workout_detail();
