alter table timeseries.sample add column placed_by smallint;
alter table timeseries.activity_block add column placed_by smallint;
alter table timeseries.interval_value add column placed_by smallint;
alter table timeseries.epoch_part add column placed_by smallint;
alter table timeseries.workout add column placed_by smallint;
alter table timeseries.sleep_session add column placed_by smallint;
alter table timeseries.other_record add column placed_by smallint;
alter table timeseries.provider_day
  add column placed_by smallint,
  add column zone_reported boolean default false not null;
alter table timeseries.day_value add column placed_by smallint;
alter table timeseries.score add column placed_by smallint;

alter table timeseries.item
  add column clock_of text,
  add column clock_from timestamptz,
  add column clock_to timestamptz;
create index item_clock_of on timeseries.item (user_id, provider, clock_of, key) where clock_of is not null;

create table timeseries.placed_span (
  user_id uuid not null,
  provider text not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  time_zone text,
  due_from timestamptz,
  due_to timestamptz,
  constraint placed_span_pkey primary key (user_id, provider)
);

create table timeseries.clock_day (
  user_id uuid not null,
  day date not null,
  zone_offset_minutes smallint not null,
  hours integer not null,
  constraint clock_day_pkey primary key (user_id, day, zone_offset_minutes)
);
insert into timeseries.clock_day (user_id, day, zone_offset_minutes, hours)
select user_id, (start_time at time zone 'UTC')::date, zone_offset_minutes,
  bit_or(1 << extract(hour from start_time at time zone 'UTC')::int)
from (
  select user_id, start_time, zone_offset_minutes from timeseries.user_clock
  union all select user_id, start_time, zone_offset_minutes from timeseries.sleep_session where zone_reported
  union all select user_id, start_time, zone_offset_minutes from timeseries.workout where zone_reported) known
group by 1, 2, 3;
