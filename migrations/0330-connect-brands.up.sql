alter table auth.project add column connect_colour text, add column connect_logo text,
  add constraint project_connect_colour_check check (connect_colour ~ '^#[0-9a-f]{6}$');
create trigger project_noted
  after insert or delete or update of name, connect_name, connect_colour, connect_logo, rate_limit_api_key, rate_limit_sdk,
    require_second_factor
  on auth.project
  for each row
  execute function auth.note_project();

create table auth.connect_logo (
  project_id text not null references auth.project(id) on delete cascade,
  name text not null,
  content bytea not null check (length(content) <= 100000),
  replaced_at timestamptz(3),
  constraint connect_logo_pkey primary key (project_id, name)
);
create index connect_logo_name on auth.connect_logo (name);
create index connect_logo_replaced on auth.connect_logo (replaced_at) where replaced_at is not null;

-- Both as they were when the link was made.
alter table connect.session add column app_colour text, add column app_logo text;
