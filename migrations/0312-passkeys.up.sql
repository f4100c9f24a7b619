create table auth.passkey (
  id uuid default gen_random_uuid() primary key,
  developer_id uuid not null references auth.developer(id) on delete cascade,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz(3) default now() not null,
  last_used_at timestamptz(3)
);
create unique index passkey_credential on auth.passkey (credential_id);
create index passkey_developer on auth.passkey (developer_id);

create table auth.passkey_challenge (
  hash text primary key,
  family_id uuid references auth.family(id) on delete cascade,
  expires_at timestamptz(3) not null
);
create index passkey_challenge_family on auth.passkey_challenge (family_id);
create index passkey_challenge_expires on auth.passkey_challenge (expires_at);
