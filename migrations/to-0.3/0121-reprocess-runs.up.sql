-- Runs of kept deliveries through the current normalisers, newest delivery first. A run continues after the delivery
-- (place_at, place_id); `position` is where it continues within that delivery, null if it is finished.
create table deliveries.reprocess_run (
  id uuid primary key default gen_random_uuid(),
  provider text not null,
  type text,
  from_time timestamptz,
  to_time timestamptz,
  dry_run boolean not null,
  normaliser_version smallint not null,
  state text not null default 'running' check (state in ('running', 'done', 'cancelled')),
  place_at timestamptz,
  place_id uuid,
  position jsonb,
  deliveries_total int not null,
  deliveries_done int not null default 0,
  deliveries_failed int not null default 0,
  changes jsonb not null,
  items jsonb not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);

-- The same request runs once at a time.
create unique index reprocess_run_running on deliveries.reprocess_run
  (provider, coalesce(type, ''), coalesce(from_time, '-infinity'), coalesce(to_time, 'infinity'), dry_run)
  where state = 'running';
