create table users.provider_client (
  id uuid default gen_random_uuid() primary key,
  project_id text not null,
  provider text not null,
  client_id text not null,
  client_secret text,
  updated_at timestamptz(3) default now() not null,
  constraint provider_client_of_project unique (project_id, provider, client_id)
);
create unique index provider_client_current on users.provider_client (project_id, provider) where client_secret is not null;

alter table users.connection add column provider_client_id uuid;

alter table connect.attempt add column provider_client_id uuid;
