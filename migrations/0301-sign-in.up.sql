-- Sign-in: invitations, password resets, second factors, identities of an OpenID provider. Additive: no table is rewritten.

create table auth.invitation (
  id uuid default gen_random_uuid() primary key,
  hash text not null,
  project_id text not null references auth.project(id) on delete cascade,
  email text not null,
  role text not null check (role in ('admin', 'developer', 'support', 'analyst')),
  invited_by uuid not null references auth.developer(id) on delete cascade,
  created_at timestamptz(3) default now() not null,
  expires_at timestamptz(3) not null
);
create unique index invitation_hash on auth.invitation (hash);
create unique index invitation_address on auth.invitation (project_id, lower(email));
create index invitation_invited_by on auth.invitation (invited_by);
create index invitation_expires on auth.invitation (expires_at);

create function auth.end_invitations() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.role = 'admin' then return null; end if;
  delete from auth.invitation where project_id = old.project_id and invited_by = old.developer_id;
  return null;
end $$;
create trigger member_demoted after delete or update of role on auth.member
  for each row when (old.role = 'admin')
  execute function auth.end_invitations();

create table auth.reset_link (
  hash text primary key,
  developer_id uuid not null references auth.developer(id) on delete cascade,
  expires_at timestamptz(3) not null
);
create index reset_link_developer on auth.reset_link (developer_id);
create index reset_link_expires on auth.reset_link (expires_at);

create table auth.totp (
  developer_id uuid primary key references auth.developer(id) on delete cascade,
  secret text not null,
  created_at timestamptz(3) default now() not null,
  confirmed_at timestamptz(3),
  last_step bigint
);
create table auth.recovery_code (
  developer_id uuid not null references auth.totp(developer_id) on delete cascade,
  hash text not null,
  constraint recovery_code_pkey primary key (developer_id, hash)
);

alter table auth.family add column second_factor boolean default false not null;
alter table auth.project add column require_second_factor boolean default false not null;

create table auth.identity (
  issuer text not null,
  subject text not null,
  developer_id uuid not null references auth.developer(id) on delete cascade,
  created_at timestamptz(3) default now() not null,
  constraint identity_pkey primary key (issuer, subject)
);
create unique index identity_developer on auth.identity (developer_id, issuer);

create or replace function auth.note_family() returns trigger language plpgsql as $$
declare
  method text := nullif(current_setting('auth.sign_in_method', true), '');
begin
  insert into auth.audit_entry (actor, action, subject_id, user_id, project_id, details)
  values (new.issued_by,
    case when new.user_id is not null then 'token.issued'
      when coalesce(current_setting('auth.by_link', true), '') = 'on' then 'developer.signed_in_by_link'
      else 'developer.logged_in' end,
    new.id, new.user_id, coalesce(new.project_id, 'default'),
    case when new.user_id is null and method is not null then jsonb_build_object('method', method) end);
  return null;
end $$;
