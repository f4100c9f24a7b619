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
    insert into users.connection_change values (new.provider, new.status, 1);
  end if;
  if tg_op in ('DELETE', 'UPDATE') then
    insert into users.connection_change values (old.provider, old.status, -1);
  end if;
  return null;
end $$;

create function users.note_list_change() returns trigger language plpgsql as $$
begin
  if tg_op in ('INSERT', 'UPDATE') then
    insert into users.list_change
    select 1, id, created_at, email_key, first_name_key, last_name_key from made where deleted_at is null;
  end if;
  if tg_op in ('DELETE', 'UPDATE') then
    insert into users.list_change
    select -1, id, created_at, email_key, first_name_key, last_name_key from gone where deleted_at is null;
  end if;
  return null;
end $$;

create function users.note_person_status() returns trigger language plpgsql as $$
declare
  change record;
  held int;
begin
  for change in
    select user_id, status, sum(step)::int as step from (
      select new.user_id, new.status, 1 as step where tg_op in ('INSERT', 'UPDATE')
      union all
      select old.user_id, old.status, -1 where tg_op in ('DELETE', 'UPDATE')
    ) both_rows group by user_id, status order by user_id, status
  loop
    insert into users.person_status as kept values (change.user_id, change.status, change.step)
    on conflict (user_id, status) do update set n = kept.n + excluded.n
    returning n into held;
    if held = 0 then
      delete from users.person_status where user_id = change.user_id and status = change.status;
      insert into users.person_status_change values (change.status, -1);
    elsif held = 1 and change.step = 1 then
      insert into users.person_status_change values (change.status, 1);
    end if;
  end loop;
  return null;
end $$;

-- What an event that nobody authenticated changed at a connection, until a read at the provider confirms or
-- contradicts it; and what is left to do after such an event. One row a connection, kept for its limits.
create table users.access_check (
  connection_id uuid not null,
  provider text not null,
  ending text,
  ending_since timestamptz(3),
  permissions_since timestamptz(3),
  attempt integer default 0 not null,
  failures integer default 0 not null,
  run_at timestamptz default now() not null,
  window_start timestamptz default '-infinity' not null,
  window_reads integer default 0 not null,
  read_at timestamptz(3),
  confirmed_at timestamptz(3),
  constraint access_check_ending_check check (ending in ('applied', 'wanted', 'restoring')),
  constraint access_check_pkey primary key (connection_id)
);
create index access_check_applied on users.access_check (provider) where ending = 'applied';
create index access_check_due on users.access_check (provider, run_at) where (ending is not null) or (permissions_since is not null);

-- Reads for such checks, of all accounts of a provider together, in the current window.
create table users.access_quota (
  provider text not null,
  window_start timestamptz default '-infinity' not null,
  reads integer default 0 not null,
  constraint access_quota_pkey primary key (provider)
);

-- A link of a user to an account at a provider, with its tokens, encrypted.
create table users.connection (
  id uuid default gen_random_uuid() not null,
  user_id uuid not null,
  provider text not null,
  provider_user_id text not null,
  status text not null,
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
  purge text,
  refresh_failing_since timestamptz,
  previous_refresh_token text,
  constraint connection_purge_check check (purge in ('wanted', 'told')),
  constraint connection_status_check check (status in ('active', 'revoked', 'expired')),
  constraint connection_pkey primary key (id),
  constraint connection_user_id_provider_key unique (user_id, provider)
);
alter table users.connection
  alter column access_token set statistics 0,
  alter column refresh_token set statistics 0,
  alter column privacy set statistics 0;
create index connection_account on users.connection (provider, provider_user_id) where status = 'active';
create index connection_ended on users.connection (status, provider, user_id) where status <> 'active';
create index connection_purge on users.connection (id) where purge = 'wanted';

-- The number of connections by provider and status, as changes that are added up. Changes are only ever added, so that
-- connections made at the same time do not wait for each other; they are folded when they are many.
create table users.connection_change (
  provider text not null,
  status text not null,
  n integer not null
);

-- Accounts at providers whose data was erased: what still comes for one of them is taken out of the kept deliveries.
-- `account_hash` is an HMAC with a key made of ENCRYPTION_KEY, so the account cannot be read or guessed from the row.
create table users.erased_account (
  provider text not null,
  account_hash bytea not null,
  seen_at timestamptz default now() not null,
  constraint erased_account_pkey primary key (provider, account_hash)
);
create index erased_account_seen on users.erased_account (seen_at);

-- Tokens that left their connection and still have one thing to do: tell the provider that we have no more access.
-- Ciphertext bound to the connection; a row is gone when that is done, at the latest after a day.
create table users.farewell (
  id uuid default gen_random_uuid() not null,
  connection_id uuid not null,
  provider text not null,
  provider_user_id text not null,
  access_token text not null,
  refresh_token text,
  expires_at timestamptz(3),
  attempts integer default 0 not null,
  run_at timestamptz default now() not null,
  created_at timestamptz default now() not null,
  constraint farewell_pkey primary key (id)
);
alter table users.farewell
  alter column provider_user_id set statistics 0,
  alter column access_token set statistics 0,
  alter column refresh_token set statistics 0;
create index farewell_due on users.farewell (run_at);

-- Accounts that a connection was linked to before it was linked to another one: raw deliveries may hold items of them.
create table users.former_account (
  user_id uuid not null,
  provider text not null,
  provider_user_id text not null,
  left_at timestamptz default now() not null,
  constraint former_account_pkey primary key (user_id, provider, provider_user_id)
);
alter table users.former_account
  alter column provider_user_id set statistics 0;

-- Deliveries that came for a connection while its ending was unconfirmed: replayed when it is restored.
create table users.held_delivery (
  connection_id uuid not null,
  delivery_id uuid not null,
  constraint held_delivery_pkey primary key (connection_id, delivery_id)
);

-- Changes of the list of users that the fences do not contain yet.
create table users.list_change (
  sign integer not null,
  id uuid not null,
  created_at timestamptz(3) not null,
  email_key text not null,
  first_name_key text not null,
  last_name_key text not null
)
with (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='2000');
alter table users.list_change
  alter column email_key set statistics 0,
  alter column first_name_key set statistics 0,
  alter column last_name_key set statistics 0;

-- Every thousandth user of each order of the list, so that a page begins near its number.
create table users.list_fence (
  sort_by text not null,
  rank integer not null,
  key text not null,
  id uuid not null,
  constraint list_fence_pkey primary key (sort_by, rank)
);
alter table users.list_fence
  alter column key set statistics 0;

-- The list's exact total and its deep pages, without counting: every 200th person of each order is a fence with
-- its rank, and each change since the fences were set is a row beside them. total = list_total + the sum of the
-- signs; a fence's rank today = its rank then + the signs of the changes before it. Changes are only ever added,
-- so that people made at the same time do not wait for each other; they are folded in when they are many.
create table users.list_total (
  total integer not null,
  folded_at timestamptz,
  analyzed_at timestamptz
);

-- The keys that the list is sorted by: any case, nulls last, by bytes, so that every database sorts alike.
create table users.person (
  id uuid default gen_random_uuid() not null,
  created_at timestamptz(3) default now() not null,
  first_name text,
  last_name text,
  email text,
  external_user_id text,
  deleted_at timestamptz(3),
  erasure_tried_at timestamptz(3),
  erased_at timestamptz(3),
  first_name_key text generated always as (case when first_name is null then '1' else '0' || lower(first_name) end) stored not null collate pg_catalog."C",
  last_name_key text generated always as (case when last_name is null then '1' else '0' || lower(last_name) end) stored not null collate pg_catalog."C",
  email_key text generated always as (case when email is null then '1' else '0' || lower(email) end) stored not null collate pg_catalog."C",
  search_text text generated always as (lower(((((((coalesce(first_name, '') || chr(31)) || coalesce(last_name, '')) || chr(31)) || coalesce(email, '')) || chr(31)) || coalesce(external_user_id, '')))) stored not null,
  time_zone text,
  constraint person_pkey primary key (id)
);
create index person_created_at on users.person (created_at, id) where deleted_at is null;
create index person_email on users.person (email_key, id) where deleted_at is null;
create index person_erased on users.person (erased_at) where erased_at is not null;
create unique index person_external_user_id on users.person (external_user_id) where deleted_at is null;
create index person_first_name on users.person (first_name_key, id) where deleted_at is null;
create index person_grams on users.person using gin ((((users.grams(search_text, 1) || users.grams(search_text, 2)) || users.grams(search_text, 3)))) where deleted_at is null;
create index person_last_name on users.person (last_name_key, id) where deleted_at is null;
create index person_long_grams on users.person using gin (users.grams(search_text, 6)) where deleted_at is null;
create index person_unerased on users.person (erasure_tried_at) where (deleted_at is not null) and (erased_at is null);

-- How many connections of a user are in a state. A row is locked until its transaction ends, so that parallel changes of one
-- user's connections see each other. A row of none is deleted, so no row stays of a user without connections.
create table users.person_status (
  user_id uuid not null,
  status text not null,
  n integer not null,
  constraint person_status_pkey primary key (user_id, status)
);

-- The number of users with a connection in a state, as changes that are added up and folded when they are many.
create table users.person_status_change (
  status text not null,
  n integer not null
);

alter table users.access_check add constraint access_check_connection_id_fkey foreign key (connection_id) references users.connection(id) on delete cascade;
alter table users.connection add constraint connection_user_id_fkey foreign key (user_id) references users.person(id) on delete cascade;
alter table users.former_account add constraint former_account_user_id_fkey foreign key (user_id) references users.person(id) on delete cascade;
alter table users.held_delivery add constraint held_delivery_connection_id_fkey foreign key (connection_id) references users.connection(id) on delete cascade;

create trigger enqueue_restoration after update of ending on users.access_check
  for each row
  when ((new.ending = 'restoring'::text) and (old.ending is distinct from 'restoring'::text))
  execute function jobs.enqueue_written('users.restoration', '{connection_id}', '{}');
create trigger changes after insert on users.connection for each row execute function changes.of_connection();
create trigger changes_update after update on users.connection
  for each row
  when ((new.status, new.connected_at, new.status_reason) is distinct from (old.status, old.connected_at, old.status_reason))
  execute function changes.of_connection();
create trigger drop_previous_refresh_token before update on users.connection
  for each row
  when ((new.previous_refresh_token is not null) and ((new.refresh_token is null) or (new.provider_user_id is distinct from old.provider_user_id)))
  execute function users.drop_previous_refresh_token();
create trigger enqueue_purge after update of purge on users.connection
  for each row
  when (new.purge = 'wanted'::text)
  execute function jobs.enqueue_written('users.purge', '{id}', '{}');
create trigger note_connection_delete after delete on users.connection
  for each row
  execute function users.note_connection_change();
create trigger note_connection_insert after insert on users.connection
  for each row
  execute function users.note_connection_change();
create trigger note_connection_update after update on users.connection
  for each row
  when ((old.status, old.provider) is distinct from (new.status, new.provider))
  execute function users.note_connection_change();
create trigger note_person_status_delete after delete on users.connection
  for each row
  execute function users.note_person_status();
create trigger note_person_status_insert after insert on users.connection
  for each row
  execute function users.note_person_status();
create trigger note_person_status_update after update on users.connection
  for each row
  when ((old.status, old.user_id) is distinct from (new.status, new.user_id))
  execute function users.note_person_status();
create trigger enqueue before insert on users.farewell
  for each row
  execute function jobs.enqueue_instead('users.token_revocation', '{connection_id,provider_user_id}', '{connection_id,provider,provider_user_id,access_token,refresh_token,expires_at}');
create trigger changes after insert or update on users.person for each row execute function changes.of_user();
create trigger enqueue_erasure after update of deleted_at on users.person
  for each row
  when ((new.deleted_at is not null) and (old.deleted_at is null))
  execute function jobs.enqueue_written('users.erasure', '{id}', '{}');
create trigger note_delete after delete on users.person
  referencing old table as gone
  for each statement
  execute function users.note_list_change();
create trigger note_insert after insert on users.person
  referencing new table as made
  for each statement
  execute function users.note_list_change();
create trigger note_update after update on users.person
  referencing old table as gone new table as made
  for each statement
  execute function users.note_list_change();

insert into users.list_total (total) values (0);
