create schema users;

create function users.drop_previous_refresh_token() returns trigger language plpgsql as $$
begin
  new.previous_refresh_token := null;
  return new;
end $$;

create function users.grams(value text, size integer) returns text[] language sql immutable strict parallel safe
    return (select coalesce(array_agg(distinct substr(grams.value, at.at, grams.size)), '{}'::text[]) as "coalesce" from generate_series(1, ((length(grams.value) - grams.size) + 1)) at(at));

create function users.note_connection_change() returns trigger language plpgsql as $$
begin
  if tg_op in ('INSERT', 'UPDATE') then
    insert into users.connection_change (project_id, provider, status, n) values (new.project_id, new.provider, new.status, 1);
  end if;
  if tg_op in ('DELETE', 'UPDATE') then
    insert into users.connection_change (project_id, provider, status, n) values (old.project_id, old.provider, old.status, -1);
  end if;
  return null;
end $$;

create function users.note_list_change() returns trigger language plpgsql as $$
begin
  if tg_op in ('INSERT', 'UPDATE') then
    insert into users.list_change (sign, id, created_at, email_key, first_name_key, last_name_key, project_id)
    select 1, id, created_at, email_key, first_name_key, last_name_key, project_id from made where deleted_at is null;
  end if;
  if tg_op in ('DELETE', 'UPDATE') then
    insert into users.list_change (sign, id, created_at, email_key, first_name_key, last_name_key, project_id)
    select -1, id, created_at, email_key, first_name_key, last_name_key, project_id from gone where deleted_at is null;
  end if;
  return null;
end $$;

create function users.note_person_status() returns trigger language plpgsql as $$
declare
  change record;
  held int;
begin
  for change in
    select project_id, user_id, status, sum(step)::int as step from (
      select new.project_id, new.user_id, new.status, 1 as step where tg_op in ('INSERT', 'UPDATE')
      union all
      select old.project_id, old.user_id, old.status, -1 where tg_op in ('DELETE', 'UPDATE')
    ) both_rows group by project_id, user_id, status order by user_id, status
  loop
    insert into users.person_status as kept values (change.user_id, change.status, change.step)
    on conflict (user_id, status) do update set n = kept.n + excluded.n
    returning n into held;
    if held = 0 then
      delete from users.person_status where user_id = change.user_id and status = change.status;
      insert into users.person_status_change (project_id, status, n) values (change.project_id, change.status, -1);
    elsif held = 1 and change.step = 1 then
      insert into users.person_status_change (project_id, status, n) values (change.project_id, change.status, 1);
    end if;
  end loop;
  return null;
end $$;

-- The project of a user. It never changes, and the row of a deleted user keeps it.
create function users.project_of(whose uuid) returns text language plpgsql stable security definer set search_path to '' as $$
begin
  return (select project_id from users.person where id = whose);
end $$;

create function users.set_project() returns trigger language plpgsql as $$
begin
  new.project_id := coalesce((select project_id from users.person where id = new.user_id), 'default');
  return new;
end $$;

-- Whether a project may get a user. The shared lock lasts until the end of the transaction, so that a project is either
-- closed before, which the second statement sees, or closed after, which counts the user.
create function users.is_open(project text) returns boolean language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(1970366051, hashtext(project));
  return not exists (select from users.closed_project where project_id = project);
end $$;

-- Those of some users who are not deleted: the reads of a deleted user are not recorded any more.
create function users.live_of(ids uuid[]) returns setof uuid language plpgsql stable security definer set search_path to '' as $$
begin
  return query select id from users.person where id = any(ids) and deleted_at is null;
end $$;

-- The keys that the list is sorted by: any case, nulls last, by bytes, so that every database sorts alike.
create table users.person (
  id uuid default gen_random_uuid() primary key,
  created_at timestamptz(3) default now() not null,
  first_name text,
  last_name text,
  email text,
  external_user_id text,
  deleted_at timestamptz(3),
  erased_at timestamptz(3),
  first_name_key text generated always as (case when first_name is null then '1' else '0' || lower(first_name) end) stored not null collate pg_catalog."C",
  last_name_key text generated always as (case when last_name is null then '1' else '0' || lower(last_name) end) stored not null collate pg_catalog."C",
  email_key text generated always as (case when email is null then '1' else '0' || lower(email) end) stored not null collate pg_catalog."C",
  search_text text generated always as (lower(((((((coalesce(first_name, '') || chr(31)) || coalesce(last_name, '')) || chr(31)) || coalesce(email, '')) || chr(31)) || coalesce(external_user_id, '')))) stored not null,
  time_zone text,
  project_id text default 'default' not null
);
create index person_erased on users.person (erased_at) where erased_at is not null;
create index person_grams on users.person using gin ((((users.grams(search_text, 1) || users.grams(search_text, 2)) || users.grams(search_text, 3)))) where deleted_at is null;
create index person_long_grams on users.person using gin (users.grams(search_text, 6)) where deleted_at is null;
create index person_unerased on users.person (project_id) where (deleted_at is not null) and (erased_at is null);
create index person_created_at on users.person (project_id, created_at, id) where deleted_at is null;
create index person_email on users.person (project_id, email_key, id) where deleted_at is null;
create unique index person_external_user_id on users.person (project_id, external_user_id) where deleted_at is null;
create index person_first_name on users.person (project_id, first_name_key, id) where deleted_at is null;
create index person_last_name on users.person (project_id, last_name_key, id) where deleted_at is null;
-- The users of a project in the order of their ids.
create index person_of_project on users.person (project_id, id) where deleted_at is null;

-- A link of a user to an account at a provider, with its tokens, encrypted.
create table users.connection (
  id uuid default gen_random_uuid() primary key,
  user_id uuid not null references users.person on delete cascade,
  provider text not null,
  provider_user_id text not null,
  status text not null check (status in ('active', 'revoked', 'expired')),
  scope text[] not null,
  access_token text,
  refresh_token text,
  expires_at timestamptz(3),
  created_at timestamptz(3) default now() not null,
  updated_at timestamptz(3) default now() not null,
  connected_at timestamptz(3) default now() not null,
  last_synced_at timestamptz(3),
  scope_changed_at timestamptz(3),
  token_version integer default 0 not null,
  refresh_leased_until timestamptz,
  status_reason text,
  privacy jsonb,
  privacy_changed_at timestamptz(3),
  purge text check (purge in ('wanted', 'told')),
  refresh_failing_since timestamptz,
  previous_refresh_token text,
  -- The project of the connection's user, kept for the counts.
  project_id text default 'default' not null,
  -- The client that the tokens of a connection were issued to. Null: that of the installation.
  provider_client_id uuid,
  unique (user_id, provider)
);
alter table users.connection
  alter column access_token set statistics 0, alter column refresh_token set statistics 0, alter column privacy set statistics 0;
create index connection_account on users.connection (provider, provider_user_id) where status = 'active';
create index connection_ended on users.connection (status, provider, user_id) where status <> 'active';
create index connection_purge on users.connection (id) where purge = 'wanted';

-- Projects that get no user any more.
create table users.closed_project (
  project_id text primary key,
  closed_at timestamptz default now() not null
);

-- The number of connections by provider and status, as changes that are added up. Changes are only ever added, so that
-- connections made at the same time do not wait for each other; they are folded when they are many.
create table users.connection_change (
  provider text not null,
  status text not null,
  n integer not null,
  project_id text default 'default' not null
);

-- Accounts at providers whose data was erased: a delivery that still mentions one of them is emptied.
-- `account_hash` is an HMAC with a key made of ENCRYPTION_KEY, so the account cannot be read or guessed from the row.
create table users.erased_account (
  provider text not null,
  account_hash bytea not null,
  seen_at timestamptz default now() not null,
  primary key (provider, account_hash)
);
create index erased_account_seen on users.erased_account (seen_at);

-- Accounts that a connection was linked to before it was linked to another one: raw deliveries may hold items of them.
create table users.former_account (
  user_id uuid not null references users.person on delete cascade,
  provider text not null,
  provider_user_id text not null,
  left_at timestamptz default now() not null,
  primary key (user_id, provider, provider_user_id)
);
alter table users.former_account alter column provider_user_id set statistics 0;

-- Changes of the list of users that the fences do not contain yet.
create table users.list_change (
  sign integer not null,
  id uuid not null,
  created_at timestamptz(3) not null,
  email_key text not null,
  first_name_key text not null,
  last_name_key text not null,
  project_id text default 'default' not null
) with (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='2000');
alter table users.list_change
  alter column email_key set statistics 0, alter column first_name_key set statistics 0, alter column last_name_key set statistics 0;
create index list_change_project on users.list_change (project_id);

-- Every thousandth user of each order of the list, so that a page begins near its number.
create table users.list_fence (
  sort_by text not null,
  rank integer not null,
  key text not null,
  id uuid not null,
  project_id text default 'default' not null,
  primary key (project_id, sort_by, rank)
);
alter table users.list_fence alter column key set statistics 0;

-- The list's exact total and its deep pages, without counting: every 200th person of each order is a fence with
-- its rank, and each change since the fences were set is a row beside them. total = list_total + the sum of the
-- signs; a fence's rank today = its rank then + the signs of the changes before it. Changes are only ever added,
-- so that people made at the same time do not wait for each other; they are folded in when they are many.
create table users.list_total (
  total integer not null,
  folded_at timestamptz,
  analyzed_at timestamptz,
  -- A row per project; without one its users are the sum of the changes.
  project_id text default 'default' primary key
);

-- How many connections of a user are in a state. A row is locked until its transaction ends, so that parallel changes of one
-- user's connections see each other. A row of none is deleted, so no row stays of a user without connections.
create table users.person_status (
  user_id uuid not null,
  status text not null,
  n integer not null,
  primary key (user_id, status)
);

-- The number of users with a connection in a state, as changes that are added up and folded when they are many.
create table users.person_status_change (
  status text not null,
  n integer not null,
  project_id text default 'default' not null
);

-- OAuth clients of projects at providers. A project without a row uses the settings of the installation. `client_secret` is
-- ciphertext bound to the project, the provider and the client id. A row is never deleted, because connections name it: when the
-- credentials are replaced or removed, the secret is erased.
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

insert into users.list_total (total) values (0);

create trigger changes after insert on users.connection for each row execute function changes.of_connection();
create trigger changes_update after update on users.connection
  for each row when ((new.status, new.connected_at, new.status_reason) is distinct from (old.status, old.connected_at, old.status_reason)) execute function changes.of_connection();
create trigger drop_previous_refresh_token before update on users.connection
  for each row when ((new.previous_refresh_token is not null) and ((new.refresh_token is null) or (new.provider_user_id is distinct from old.provider_user_id))) execute function users.drop_previous_refresh_token();
create trigger enqueue_purge after update of purge on users.connection for each row when (new.purge = 'wanted'::text)
  execute function jobs.enqueue_written('users.purge', '{id}', '{}');
create trigger note_connection_delete after delete on users.connection for each row execute function users.note_connection_change();
create trigger note_connection_insert after insert on users.connection for each row execute function users.note_connection_change();
create trigger note_connection_update after update on users.connection
  for each row when ((old.status, old.provider) is distinct from (new.status, new.provider)) execute function users.note_connection_change();
create trigger note_person_status_delete after delete on users.connection for each row execute function users.note_person_status();
create trigger note_person_status_insert after insert on users.connection for each row execute function users.note_person_status();
create trigger note_person_status_update after update on users.connection
  for each row when ((old.status, old.user_id) is distinct from (new.status, new.user_id)) execute function users.note_person_status();
create trigger set_project before insert or update of user_id, project_id on users.connection for each row execute function users.set_project();
create trigger changes after insert or update on users.person for each row execute function changes.of_user();
create trigger enqueue_erasure after update of deleted_at on users.person
  for each row when ((new.deleted_at is not null) and (old.deleted_at is null)) execute function jobs.enqueue_written('users.erasure', '{id}', '{}');
create trigger note_delete after delete on users.person referencing old table as gone for each statement execute function users.note_list_change();
create trigger note_insert after insert on users.person referencing new table as made for each statement execute function users.note_list_change();
create trigger note_update after update on users.person referencing old table as gone new table as made for each statement
  execute function users.note_list_change();
