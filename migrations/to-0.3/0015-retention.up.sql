-- How far the retention of samples has come, one row for all processes: whoever holds it works. Samples of local days
-- before `kept_from` go series by series; those up to `series_id` are done. Nobody works while finished_at is set and
-- the day is the same.
create table timeseries.retention (
  one boolean primary key default true check (one),
  kept_from date not null default '-infinity',
  series_id int not null default 0,
  finished_at timestamptz
);
insert into timeseries.retention default values;

-- The values of slots of time are samples in another form and go with them; their sedentary time stays with the day.
create index epoch_part_with_values on timeseries.epoch_part (local_date) where vals <> '{}';
