-- Parts of slots of time, one an activity type, possibly of different deliveries. The slot's samples are computed
-- from all of its parts, so each is kept: `vals` holds a value by series type.
create table timeseries.epoch_part (
  user_id uuid not null,
  provider text not null,
  start_time timestamptz not null,
  activity_type text not null,
  device text not null,
  zone_offset_minutes smallint not null,
  local_date date not null,
  active_seconds int,
  -- Null where nobody told how intense the part was.
  sedentary_seconds int,
  vals jsonb not null,
  primary key (user_id, provider, start_time, activity_type)
);
-- The sedentary time of a local day: an index has all that it needs.
create index epoch_part_sedentary on timeseries.epoch_part (user_id, local_date) include (provider, sedentary_seconds)
  where sedentary_seconds is not null;

-- Events that are neither workouts nor sleep, kept as they were sent.
create table timeseries.other_record (
  id uuid primary key,
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
  unique (user_id, provider, type, key)
);
create index other_record_by_start on timeseries.other_record (user_id, start_time, id);
create index other_record_by_type on timeseries.other_record (user_id, type, start_time, id);

-- What each data type told of a workout: the row is put together of them, so that none wipes what only another one
-- sent. Of rows that are there already the activity told all.
alter table timeseries.workout add column parts jsonb not null default '{}';
update timeseries.workout set parts = jsonb_build_object('activities', (to_jsonb(workout) - array['id', 'user_id',
  'provider', 'key', 'start_time', 'end_time', 'local_date', 'duplicate_of', 'deleted_at', 'parts'])
  || jsonb_build_object('start_ms', extract(epoch from start_time) * 1000, 'end_ms', extract(epoch from end_time) * 1000));
