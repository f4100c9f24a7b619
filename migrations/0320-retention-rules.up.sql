create table timeseries.retention_rule (
  project_id text primary key,
  rule jsonb not null,
  updated_at timestamptz(3) default now() not null,
  pass_day date,
  pass_user uuid,
  pass_series integer default 0 not null,
  finished_at timestamptz
);

create index person_of_project on users.person (project_id, id) where deleted_at is null;
