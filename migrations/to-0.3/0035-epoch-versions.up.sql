-- Parts of a slot that are together active for longer than the slot are versions of each other: the newest that fit count.
-- `delivery` is their order; `superseded` keeps what a part holds that counts nowhere, and its other columns are empty.
alter table timeseries.epoch_part
  add column slot_seconds int,
  add column delivery int not null default 0,
  add column superseded jsonb;
create index epoch_part_superseded on timeseries.epoch_part (local_date) where superseded is not null;
