-- The samples that each activity brought, so that they can be removed with it, hidden and shown again. A row holds the
-- samples of one series and UTC day of one part of an item; `hash` is the version of the item. services/timeseries/
-- sample-codec.ts encodes `times` and `vals`: about 2 bytes a sample.
create table timeseries.activity_block (
  -- Of two activities that bring a sample of one instant, the one stored later counts.
  id bigint generated always as identity primary key,
  user_id uuid not null,
  provider text not null,
  data_type text not null,
  key text not null,
  hash text not null,
  part int not null,
  series_id int not null,
  day date not null,
  zone_offset_minutes smallint not null,
  -- The activity was deleted by an event that is not confirmed yet: its samples are in no series.
  hidden boolean not null default false,
  times bytea not null,
  vals bytea not null
);
create index activity_block_item on timeseries.activity_block (user_id, provider, key);
create index activity_block_day on timeseries.activity_block (series_id, day);
create index activity_block_old on timeseries.activity_block (day);

-- Instants of a series at which a record that is no activity brought a sample. Such a sample stays when an activity of
-- the same instant goes, and its value counts before the activity's.
create table timeseries.other_instants (
  series_id int not null,
  day date not null,
  times bytea not null,
  primary key (series_id, day)
);
create index other_instants_old on timeseries.other_instants (day);

-- Samples before this instant may have been stored without an entry in the two tables above: those that are there
-- already, and those that a process of the version before stores meanwhile. A series of this version says that there
-- are none.
alter table timeseries.series add column unclaimed_until timestamptz not null default '-infinity';
update timeseries.series s set unclaimed_until = h.last + interval '1 day'
from (select series_id, max(bucket) as last from timeseries.sample_hour group by series_id) h where h.series_id = s.id;
alter table timeseries.series alter column unclaimed_until set default now() + interval '1 day';

-- `hidden`: deleted by an event that is not confirmed yet; the record's data is kept. `cropped`: the activity was sent
-- again with a shorter span than its details.
alter table timeseries.workout add column hidden boolean not null default false;
alter table timeseries.workout add column cropped boolean not null default false;
