-- The records that a backfill read and did not store, by reason.
alter table pull.run_type add column skipped jsonb default '{}' not null;
