-- OAuth clients of projects at providers. A project without a row uses the settings of the installation. `client_secret` is
-- ciphertext bound to the project, the provider and the client id. A row is never deleted, because connections name it: when the
-- credentials are replaced or removed, the secret is erased.
create table users.provider_client (
  id uuid default gen_random_uuid() not null,
  project_id text not null,
  provider text not null,
  client_id text not null,
  client_secret text,
  updated_at timestamptz(3) default now() not null,
  constraint provider_client_pkey primary key (id),
  constraint provider_client_of_project unique (project_id, provider, client_id)
);
create unique index provider_client_current on users.provider_client (project_id, provider) where client_secret is not null;

-- The client that the tokens of a connection were issued to. Null: that of the installation.
alter table users.connection add column provider_client_id uuid;

-- The client of an attempt to connect.
alter table connect.attempt add column provider_client_id uuid;
