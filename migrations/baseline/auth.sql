create schema auth;

create function auth.actor() returns text language sql stable return NULLIF(current_setting('auth.actor'::text, true), ''::text);

create function auth.note_api_key() returns trigger language plpgsql as $$
declare
  rotates boolean := coalesce(current_setting('auth.rotates', true), '') = 'on';
begin
  if rotates and tg_op = 'DELETE' then return null; end if;
  insert into auth.audit_entry (actor, action, subject_id, subject_name, project_id)
  values (auth.actor(),
    'api_key.' || case when rotates then 'rotated' when tg_op = 'INSERT' then 'created' when tg_op = 'DELETE' then 'deleted' else 'renamed' end,
    coalesce(new.id, old.id), coalesce(new.name, old.name), coalesce(new.project_id, old.project_id));
  return null;
end $$;

create function auth.note_application() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_id, subject_name, project_id)
  values (auth.actor(),
    'application.' || case when tg_op = 'INSERT' then 'created' when tg_op = 'DELETE' then 'deleted'
      when new.secret_hash <> old.secret_hash then 'secret_rotated' else 'renamed' end,
    coalesce(new.id, old.id), coalesce(new.name, old.name), coalesce(new.project_id, old.project_id));
  return null;
end $$;

create function auth.note_developer() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_id, subject_name)
  values (auth.actor(), 'developer.' || case tg_op when 'INSERT' then 'created' when 'DELETE' then 'deleted' else 'password_changed' end,
    coalesce(new.id, old.id), null);
  return null;
end $$;

-- `auth.sign_in_method` of the transaction states how a session began, other than with a password.
create function auth.note_family() returns trigger language plpgsql as $$
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

create function auth.record_audit(actor text, request_id text, action text, user_id uuid, subject_id uuid, details jsonb)
    returns void language sql security definer set search_path to '' as $_$
  insert into auth.audit_entry (actor, request_id, action, user_id, subject_id, details)
  values ($1, $2, $3, $4, $5, $6)
$_$;

-- A member that is removed with the account or the project has the entry of that.
create function auth.note_member() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and not (exists (select from auth.developer where id = old.developer_id)
    and exists (select from auth.project where id = old.project_id)) then return null; end if;
  insert into auth.audit_entry (actor, action, subject_id, project_id, details)
  values (auth.actor(),
    'member.' || case tg_op when 'INSERT' then 'added' when 'DELETE' then 'removed' else 'role_changed' end,
    coalesce(new.developer_id, old.developer_id), coalesce(new.project_id, old.project_id),
    jsonb_build_object('role', coalesce(new.role, old.role)));
  return null;
end $$;

create function auth.note_project() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_name, project_id, details)
  values (auth.actor(), 'project.' || case tg_op when 'INSERT' then 'created' when 'DELETE' then 'deleted' else 'updated' end,
    coalesce(new.id, old.id), 'default', nullif(current_setting('auth.details', true), '')::jsonb);
  return null;
end $$;

-- The project of an entry is that of the caller, or that of the user whose data it is about.
create function auth.record_audit(actor text, request_id text, action text, user_id uuid, subject_id uuid, details jsonb,
    project_id text) returns void language sql security definer
    set search_path to '' as $_$
  insert into auth.audit_entry (actor, request_id, action, user_id, subject_id, details, project_id)
  values ($1, $2, $3, $4, $5, $6, coalesce($7, users.project_of($4), 'default'))
$_$;

-- Whoever is no admin of the project any more has no open invitations to it.
create function auth.end_invitations() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.role = 'admin' then return null; end if;
  delete from auth.invitation where project_id = old.project_id and invited_by = old.developer_id;
  return null;
end $$;

-- Who read what of a user: the reads of health values in one hour, by the holder of the credential and the kind of data.
create table auth.access (
  user_id uuid not null,
  hour timestamptz(0) not null,
  kind text not null,
  actor text not null,
  project_id text not null,
  count bigint not null,
  primary key (user_id, hour, kind, actor)
);
create index access_hour on auth.access (hour);

-- The same reads by day, without the user: they stay when a user is erased. The actor of a user token is `user`.
create table auth.access_total (
  project_id text not null,
  day date not null,
  actor text not null,
  kind text not null,
  count bigint not null,
  primary key (project_id, day, actor, kind)
);
create index access_total_day on auth.access_total (day);

-- The last batch of each process that counts reads, so that a batch which is sent again adds nothing.
create table auth.access_writer (
  process_id uuid primary key,
  sequence bigint not null,
  written_at timestamptz(3) default now() not null
);

-- A product or a stage of a company: users, keys, applications and endpoints belong to one. `id` is chosen by whoever makes
-- it and never changes. The limits are requests a minute; null takes the setting of the installation.
create table auth.project (
  id text primary key check (id ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  name text not null,
  rate_limit_api_key integer,
  rate_limit_sdk integer,
  created_at timestamptz(3) default now() not null,
  require_second_factor boolean default false not null,
  -- The name that the connect page shows to users of a project. Null: CONNECT_NAME.
  connect_name text,
  -- A project that is being deleted with its users: its credentials are refused. `deleting_users` is their number when it was closed.
  deleting_at timestamptz(3),
  deleting_users integer,
  -- The colour and the logo that the connect page shows to users of a project. Null: CONNECT_COLOR and CONNECT_LOGO. `connect_logo` is
  -- the name of a file in auth.connect_logo.
  connect_colour text check (connect_colour ~ '^#[0-9a-f]{6}$'),
  connect_logo text
);

-- Keys outlive the developer who made them: created_by is a note, not a reference.
create table auth.api_key (
  id uuid default gen_random_uuid() primary key,
  hash text not null unique,
  name text not null,
  created_by uuid not null,
  created_at timestamptz(3) default now() not null,
  last_used_at timestamptz(3),
  former_ids uuid[] default '{}'::uuid[] not null,
  project_id text default 'default' not null references auth.project on delete cascade,
  -- Null scopes: everything that a key may do. Null addresses: any.
  scopes text[],
  expires_at timestamptz(3),
  addresses text[]
);
create index api_key_project on auth.api_key (project_id);

-- A mobile or web app of a customer. Its secret obtains tokens of users.
create table auth.application (
  id uuid default gen_random_uuid() primary key,
  app_id text not null unique,
  secret_hash text not null,
  name text not null,
  created_at timestamptz(3) default now() not null,
  project_id text default 'default' not null references auth.project on delete cascade
);
create index application_project on auth.application (project_id);

-- Failed log-ins, tokens and refreshes of an address in a minute, and of an account in an hour; those in work count
-- too. `subject` is a hash. Unlogged: after a crash of the database everyone starts anew.
create unlogged table auth.attempt_window (
  subject uuid primary key,
  started_at timestamptz not null,
  count integer not null
) with (fillfactor='50');
create index attempt_window_started on auth.attempt_window (started_at);

-- Who created, changed, deleted what, and issued tokens for whom. Triggers write it, so that no change is without
-- its entry, not even one by hand; who acts is told by a setting of the transaction, and is null where nobody was.
create table auth.audit_entry (
  id bigint generated always as identity primary key,
  at timestamptz(3) default now() not null,
  actor text,
  action text not null,
  subject_id uuid,
  subject_name text,
  user_id uuid,
  request_id text default NULLIF(current_setting('auth.request_id', true), ''),
  details jsonb,
  rollup uuid,
  project_id text default 'default' not null
);
create index audit_entry_actor on auth.audit_entry (actor, id) where actor is not null;
create index audit_entry_at on auth.audit_entry (at);
create unique index audit_entry_rollup on auth.audit_entry (rollup) where rollup is not null;
create index audit_entry_user on auth.audit_entry (user_id, id) where user_id is not null;
create index audit_entry_action on auth.audit_entry (project_id, action, id);
create index audit_entry_project on auth.audit_entry (project_id, id);

-- Files of logos. The name contains the hash of the content. A replaced logo is kept for the links that show it.
create table auth.connect_logo (
  project_id text not null references auth.project on delete cascade,
  name text not null,
  content bytea not null check (length(content) <= 100000),
  replaced_at timestamptz(3),
  primary key (project_id, name)
);
create index connect_logo_name on auth.connect_logo (name);
create index connect_logo_replaced on auth.connect_logo (replaced_at) where replaced_at is not null;

-- An account of a person who operates the installation or develops on it.
create table auth.developer (
  id uuid default gen_random_uuid() primary key,
  email text not null,
  password text not null,
  created_at timestamptz(3) default now() not null,
  is_owner boolean default false not null,
  -- Whether the holder of an account's e-mail address is known: by a mailed link, by an identity provider or by an owner. Other accounts
  -- join no further project.
  confirmed_at timestamptz(3)
);
create unique index developer_email on auth.developer (lower(email));

-- All tokens that grew from one log-in or one issued token. It ends by being deleted, and its tokens with it;
-- so does one whose developer or application is deleted.
create table auth.family (
  id uuid primary key,
  user_id uuid,
  developer_id uuid references auth.developer on delete cascade,
  application_id uuid references auth.application on delete cascade,
  issued_by text not null,
  created_at timestamptz(3) default now() not null,
  expires_at timestamptz(3) not null,
  -- The project of the user whose data the tokens read; null for the session of a developer.
  project_id text,
  -- Whether the session began with a second factor, or its developer has proven one since.
  second_factor boolean default false not null,
  -- The API key that made an embedded page, whose token ends with it.
  api_key_id uuid references auth.api_key on delete cascade,
  check ((user_id is not null) or (developer_id is not null))
);
create index family_application on auth.family (application_id) where application_id is not null;
create index family_developer on auth.family (developer_id) where developer_id is not null;
create index family_expires on auth.family (expires_at);
create index family_user on auth.family (user_id) where user_id is not null;
create index family_api_key on auth.family (api_key_id) where api_key_id is not null;

-- Sessions of the console. `hash` is the SHA-256 of the cookie's value. A session is a family without tokens, so that all
-- that ends a developer's sessions ends these too.
create table auth.console_session (
  hash text primary key,
  family_id uuid not null unique references auth.family on delete cascade
);

-- A project that was deleted. Its id is not used again, so that audit entries keep their meaning.
create table auth.former_project (
  id text primary key,
  deleted_at timestamptz default now() not null
);

-- The account of a subject of an OpenID provider.
create table auth.identity (
  issuer text not null,
  subject text not null,
  developer_id uuid not null references auth.developer on delete cascade,
  created_at timestamptz(3) default now() not null,
  primary key (issuer, subject)
);
create unique index identity_developer on auth.identity (developer_id, issuer);

-- An offer of a role in a project to an e-mail address. `hash` is the SHA-256 of the token of its link, in hex.
create table auth.invitation (
  id uuid default gen_random_uuid() primary key,
  hash text not null,
  project_id text not null references auth.project on delete cascade,
  email text not null,
  role text not null check (role in ('admin', 'developer', 'support', 'analyst')),
  invited_by uuid not null references auth.developer on delete cascade,
  created_at timestamptz(3) default now() not null,
  expires_at timestamptz(3) not null,
  -- Whether acceptance confirms the address: only a message has the link, or an owner made it.
  confirms boolean default false not null
);
create unique index invitation_hash on auth.invitation (hash);
create unique index invitation_address on auth.invitation (project_id, lower(email));
create index invitation_invited_by on auth.invitation (invited_by);
create index invitation_expires on auth.invitation (expires_at);

-- Network addresses from which a developer has logged in: their password hashes are computed first. `address_hash` is the
-- SHA-256 of the address.
create table auth.known_log_in (
  developer_id uuid not null references auth.developer on delete cascade,
  address_hash bytea not null,
  last_at timestamptz default now() not null,
  primary key (developer_id, address_hash)
) with (fillfactor='80');
create index known_log_in_last on auth.known_log_in (last_at);

-- The role of a developer in a project. An owner of the installation has every right in every project, without a row.
create table auth.member (
  project_id text not null references auth.project on delete cascade,
  developer_id uuid not null references auth.developer on delete cascade,
  role text not null check (role in ('admin', 'developer', 'support', 'analyst')),
  created_at timestamptz(3) default now() not null,
  primary key (developer_id, project_id)
);
create index member_project on auth.member (project_id);

-- Passkeys of developers (WebAuthn): a public key each. `counter` is that of the last accepted answer; 0 where the device has none.
create table auth.passkey (
  id uuid default gen_random_uuid() primary key,
  developer_id uuid not null references auth.developer on delete cascade,
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

-- Challenges, by their SHA-256 in hex. `family_id` is the session that adds a passkey; null for a sign-in. The table is not that of
-- the sign-in links, because each row of that one signs in whoever has its token.
create table auth.passkey_challenge (
  hash text primary key,
  family_id uuid references auth.family on delete cascade,
  expires_at timestamptz(3) not null
);
create index passkey_challenge_family on auth.passkey_challenge (family_id);
create index passkey_challenge_expires on auth.passkey_challenge (expires_at);

-- The requests of the running minute of a key, a user or a developer. Unlogged: after a crash of the database
-- everyone starts a new minute. Half-empty pages keep the updates of a counter within its page.
create unlogged table auth.rate_window (
  subject uuid primary key,
  started_at timestamptz not null,
  count integer not null
) with (fillfactor='50', autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_cost_delay='0');

-- The secret of an authenticator, encrypted. `last_step` is the time step of the last accepted code: no earlier one is accepted.
create table auth.totp (
  developer_id uuid primary key references auth.developer on delete cascade,
  secret text not null,
  created_at timestamptz(3) default now() not null,
  confirmed_at timestamptz(3),
  last_step bigint
);

create table auth.recovery_code (
  developer_id uuid not null references auth.totp on delete cascade,
  hash text not null,
  primary key (developer_id, hash)
);

-- A consumed token stays until it would have expired: one that comes back ends its family.
create table auth.refresh_token (
  hash text primary key,
  family_id uuid not null references auth.family on delete cascade,
  created_at timestamptz(3) default now() not null,
  consumed_at timestamptz,
  consumed_by text
);
create index refresh_token_created on auth.refresh_token (created_at);
create index refresh_token_family on auth.refresh_token (family_id);

-- Links that set a new password, by the SHA-256 of their token.
create table auth.reset_link (
  hash text primary key,
  developer_id uuid not null references auth.developer on delete cascade,
  expires_at timestamptz(3) not null
);
create index reset_link_developer on auth.reset_link (developer_id);
create index reset_link_expires on auth.reset_link (expires_at);

-- Links that sign a developer in once. `hash` is the SHA-256 of the token in the link.
create table auth.sign_in_link (
  hash text primary key,
  developer_id uuid not null references auth.developer on delete cascade,
  expires_at timestamptz not null
);
create index sign_in_link_developer on auth.sign_in_link (developer_id);
create index sign_in_link_expires on auth.sign_in_link (expires_at);

insert into auth.project (id, name, created_at) values ('default', 'Default', '2026-11-25');

create trigger api_key_noted after insert or delete or update of name on auth.api_key for each row execute function auth.note_api_key();
create trigger application_noted after insert or delete or update of name, secret_hash on auth.application for each row
  execute function auth.note_application();
create trigger developer_noted after insert or delete or update of password on auth.developer for each row execute function auth.note_developer();
create trigger family_noted after insert on auth.family for each row execute function auth.note_family();
create trigger member_demoted after delete or update of role on auth.member for each row when (old.role = 'admin')
  execute function auth.end_invitations();
create trigger member_noted after insert or delete or update of role on auth.member for each row execute function auth.note_member();
create trigger project_noted after insert or delete or update of name, connect_name, connect_colour, connect_logo, rate_limit_api_key, rate_limit_sdk, require_second_factor on auth.project
  for each row execute function auth.note_project();
