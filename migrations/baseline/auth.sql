create schema auth;

create function auth.actor() returns text language sql stable
    return NULLIF(current_setting('auth.actor'::text, true), ''::text);

create function auth.note_api_key() returns trigger language plpgsql as $$
declare
  rotates boolean := coalesce(current_setting('auth.rotates', true), '') = 'on';
begin
  if rotates and tg_op = 'DELETE' then return null; end if;
  insert into auth.audit_entry (actor, action, subject_id, subject_name)
  values (auth.actor(),
    'api_key.' || case when rotates then 'rotated' when tg_op = 'INSERT' then 'created' when tg_op = 'DELETE' then 'deleted' else 'renamed' end,
    coalesce(new.id, old.id), coalesce(new.name, old.name));
  return null;
end $$;

create function auth.note_application() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_id, subject_name)
  values (auth.actor(),
    'application.' || case when tg_op = 'INSERT' then 'created' when tg_op = 'DELETE' then 'deleted'
      when new.secret_hash <> old.secret_hash then 'secret_rotated' else 'renamed' end,
    coalesce(new.id, old.id), coalesce(new.name, old.name));
  return null;
end $$;

create function auth.note_developer() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_id, subject_name)
  values (auth.actor(), 'developer.' || case tg_op when 'INSERT' then 'created' when 'DELETE' then 'deleted' else 'password_changed' end,
    coalesce(new.id, old.id), null);
  return null;
end $$;

create function auth.note_family() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_id, user_id)
  values (new.issued_by,
    case when new.user_id is not null then 'token.issued'
      when coalesce(current_setting('auth.by_link', true), '') = 'on' then 'developer.signed_in_by_link'
      else 'developer.logged_in' end,
    new.id, new.user_id);
  return null;
end $$;

create function auth.record_audit(actor text, request_id text, action text, user_id uuid, subject_id uuid, details jsonb) returns void language sql security definer
    set search_path to '' as $_$
  insert into auth.audit_entry (actor, request_id, action, user_id, subject_id, details)
  values ($1, $2, $3, $4, $5, $6)
$_$;

-- Keys outlive the developer who made them: created_by is a note, not a reference.
create table auth.api_key (
  id uuid default gen_random_uuid() not null,
  hash text not null,
  name text not null,
  created_by uuid not null,
  created_at timestamptz(3) default now() not null,
  last_used_at timestamptz(3),
  former_ids uuid[] default '{}'::uuid[] not null,
  constraint api_key_hash_key unique (hash),
  constraint api_key_pkey primary key (id)
);

-- A mobile or web app of a customer. Its secret obtains tokens of users.
create table auth.application (
  id uuid default gen_random_uuid() not null,
  app_id text not null,
  secret_hash text not null,
  name text not null,
  created_at timestamptz(3) default now() not null,
  constraint application_app_id_key unique (app_id),
  constraint application_pkey primary key (id)
);

-- Failed log-ins, tokens and refreshes of an address in a minute, and of an account in an hour; those in work count
-- too. `subject` is a hash. Unlogged: after a crash of the database everyone starts anew.
create unlogged table auth.attempt_window (
  subject uuid not null,
  started_at timestamptz not null,
  count integer not null,
  constraint attempt_window_pkey primary key (subject)
)
with (fillfactor='50');
create index attempt_window_started on auth.attempt_window (started_at);

-- Who created, changed, deleted what, and issued tokens for whom. Triggers write it, so that no change is without
-- its entry, not even one by hand; who acts is told by a setting of the transaction, and is null where nobody was.
create table auth.audit_entry (
  id bigint generated always as identity,
  at timestamptz(3) default now() not null,
  actor text,
  action text not null,
  subject_id uuid,
  subject_name text,
  user_id uuid,
  request_id text default NULLIF(current_setting('auth.request_id', true), ''),
  details jsonb,
  rollup uuid,
  constraint audit_entry_pkey primary key (id)
);
create index audit_entry_action on auth.audit_entry (action, id);
create index audit_entry_actor on auth.audit_entry (actor, id) where actor is not null;
create index audit_entry_at on auth.audit_entry (at);
create unique index audit_entry_rollup on auth.audit_entry (rollup) where rollup is not null;
create index audit_entry_user on auth.audit_entry (user_id, id) where user_id is not null;

-- Sessions of the console. `hash` is the SHA-256 of the cookie's value. A session is a family without tokens, so that all
-- that ends a developer's sessions ends these too.
create table auth.console_session (
  hash text not null,
  family_id uuid not null,
  constraint console_session_family_id_key unique (family_id),
  constraint console_session_pkey primary key (hash)
);

-- An account of a person who operates the installation or develops on it.
create table auth.developer (
  id uuid default gen_random_uuid() not null,
  email text not null,
  password text not null,
  created_at timestamptz(3) default now() not null,
  constraint developer_pkey primary key (id)
);
create unique index developer_email on auth.developer (lower(email));

-- All tokens that grew from one log-in or one issued token. It ends by being deleted, and its tokens with it;
-- so does one whose developer or application is deleted.
create table auth.family (
  id uuid not null,
  user_id uuid,
  developer_id uuid,
  application_id uuid,
  issued_by text not null,
  created_at timestamptz(3) default now() not null,
  expires_at timestamptz(3) not null,
  constraint family_check check ((user_id is not null) or (developer_id is not null)),
  constraint family_pkey primary key (id)
);
create index family_application on auth.family (application_id) where application_id is not null;
create index family_developer on auth.family (developer_id) where developer_id is not null;
create index family_expires on auth.family (expires_at);
create index family_user on auth.family (user_id) where user_id is not null;

-- Network addresses from which a developer has logged in: their password hashes are computed first. `address_hash` is the
-- SHA-256 of the address.
create table auth.known_log_in (
  developer_id uuid not null,
  address_hash bytea not null,
  last_at timestamptz default now() not null,
  constraint known_log_in_pkey primary key (developer_id, address_hash)
)
with (fillfactor='80');
create index known_log_in_last on auth.known_log_in (last_at);

-- The requests of the running minute of a key, a user or a developer. Unlogged: after a crash of the database
-- everyone starts a new minute. Half-empty pages keep the updates of a counter within its page.
create unlogged table auth.rate_window (
  subject uuid not null,
  started_at timestamptz not null,
  count integer not null,
  constraint rate_window_pkey primary key (subject)
)
with (fillfactor='50', autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_cost_delay='0');

-- A consumed token stays until it would have expired: one that comes back ends its family.
create table auth.refresh_token (
  hash text not null,
  family_id uuid not null,
  created_at timestamptz(3) default now() not null,
  consumed_at timestamptz,
  consumed_by text,
  constraint refresh_token_pkey primary key (hash)
);
create index refresh_token_created on auth.refresh_token (created_at);
create index refresh_token_family on auth.refresh_token (family_id);

-- Links that sign a developer in once. `hash` is the SHA-256 of the token in the link.
create table auth.sign_in_link (
  hash text not null,
  developer_id uuid not null,
  expires_at timestamptz not null,
  constraint sign_in_link_pkey primary key (hash)
);
create index sign_in_link_developer on auth.sign_in_link (developer_id);
create index sign_in_link_expires on auth.sign_in_link (expires_at);

alter table auth.console_session add constraint console_session_family_id_fkey foreign key (family_id) references auth.family(id) on delete cascade;
alter table auth.family add constraint family_application_id_fkey foreign key (application_id) references auth.application(id) on delete cascade;
alter table auth.family add constraint family_developer_id_fkey foreign key (developer_id) references auth.developer(id) on delete cascade;
alter table auth.known_log_in add constraint known_log_in_developer_id_fkey foreign key (developer_id) references auth.developer(id) on delete cascade;
alter table auth.refresh_token add constraint refresh_token_family_id_fkey foreign key (family_id) references auth.family(id) on delete cascade;
alter table auth.sign_in_link add constraint sign_in_link_developer_id_fkey foreign key (developer_id) references auth.developer(id) on delete cascade;

create trigger api_key_noted after insert or delete or update of name on auth.api_key
  for each row
  execute function auth.note_api_key();
create trigger application_noted after insert or delete or update of name, secret_hash on auth.application
  for each row
  execute function auth.note_application();
create trigger developer_noted after insert or delete or update of password on auth.developer
  for each row
  execute function auth.note_developer();
create trigger family_noted after insert on auth.family for each row execute function auth.note_family();
