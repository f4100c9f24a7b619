alter table timeseries.item
  add column footprint bytea,
  add column first_day smallint,
  add column last_day smallint;
create table phone.upload_ids (
  delivery_id uuid primary key,
  user_id uuid not null,
  ids bytea not null,
  created_at timestamptz default now() not null
);
create index upload_ids_created on phone.upload_ids (created_at);
create index upload_ids_user on phone.upload_ids (user_id);
drop index deliveries.reprocess_run_running;
alter table deliveries.reprocess_run
  add column type text,
  add column to_time timestamptz,
  add column dry_run boolean default false not null,
  add column "position" jsonb,
  add column changes jsonb default '{}' not null,
  add column items jsonb default '{}' not null;
alter table deliveries.reprocess_run
  alter column dry_run drop default, alter column changes drop default, alter column items drop default;
create unique index reprocess_run_running on deliveries.reprocess_run
  (provider, coalesce(type, ''), coalesce(from_time, '-infinity'), coalesce(to_time, 'infinity'), dry_run)
  where state = 'running';
