create table auth.passkey (
  id uuid default gen_random_uuid() not null,
  developer_id uuid not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz(3) default now() not null,
  last_used_at timestamptz(3),
  constraint passkey_pkey primary key (id),
  constraint passkey_developer_id_fkey foreign key (developer_id) references auth.developer(id) on delete cascade
);
create unique index passkey_credential on auth.passkey (credential_id);
create index passkey_developer on auth.passkey (developer_id);

create table auth.passkey_challenge (
  hash text not null,
  family_id uuid,
  expires_at timestamptz(3) not null,
  constraint passkey_challenge_pkey primary key (hash),
  constraint passkey_challenge_family_id_fkey foreign key (family_id) references auth.family(id) on delete cascade
);
create index passkey_challenge_family on auth.passkey_challenge (family_id);
create index passkey_challenge_expires on auth.passkey_challenge (expires_at);
