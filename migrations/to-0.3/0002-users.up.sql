create schema users;

-- All pieces of length `size` of a text, for an index that finds a piece anywhere in it. pg_trgm would do less:
-- where the database's character type is C it skips every letter outside ASCII, and needs three letters.
create function users.grams(value text, size int) returns text[]
language sql immutable strict parallel safe
return (
  select coalesce(array_agg(distinct substr(value, at, size)), '{}')
  from generate_series(1, length(value) - size + 1) at
);

-- The keys that the list is sorted by: any case, nulls last, by bytes, so that every database sorts alike.
create table users.person (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz(3) not null default now(),
  first_name text,
  last_name text,
  email text,
  external_user_id text,
  deleted_at timestamptz(3),
  erasure_tried_at timestamptz(3),
  erased_at timestamptz(3),
  first_name_key text collate "C" not null
    generated always as (case when first_name is null then '1' else '0' || lower(first_name) end) stored,
  last_name_key text collate "C" not null
    generated always as (case when last_name is null then '1' else '0' || lower(last_name) end) stored,
  email_key text collate "C" not null
    generated always as (case when email is null then '1' else '0' || lower(email) end) stored,
  search_text text not null generated always as (
    lower(coalesce(first_name, '') || chr(31) || coalesce(last_name, '') || chr(31)
      || coalesce(email, '') || chr(31) || coalesce(external_user_id, ''))
  ) stored
);
create unique index person_external_user_id on users.person (external_user_id) where deleted_at is null;
create index person_created_at on users.person (created_at, id) where deleted_at is null;
create index person_email on users.person (email_key, id) where deleted_at is null;
create index person_first_name on users.person (first_name_key, id) where deleted_at is null;
create index person_last_name on users.person (last_name_key, id) where deleted_at is null;
create index person_grams on users.person using gin (
  (users.grams(search_text, 1) || users.grams(search_text, 2) || users.grams(search_text, 3))
) where deleted_at is null;
create index person_unerased on users.person (erasure_tried_at) where deleted_at is not null and erased_at is null;

create table users.connection (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users.person on delete cascade,
  provider text not null,
  provider_user_id text not null,
  status text not null check (status in ('active', 'revoked', 'expired')),
  scope text[] not null,
  access_token text,
  refresh_token text,
  expires_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  connected_at timestamptz(3) not null default now(),
  last_synced_at timestamptz(3),
  unique (user_id, provider)
);
-- Several users may share one account at a provider: not unique.
create index connection_account on users.connection (provider, provider_user_id) where status = 'active';

-- The list's exact total and its deep pages, without counting: every 200th person of each order is a fence with
-- its rank, and each change since the fences were set is a row beside them. total = list_total + the sum of the
-- signs; a fence's rank today = its rank then + the signs of the changes before it. Changes are only ever added,
-- so that people made at the same time do not wait for each other; they are folded in when they are many.
create table users.list_total (total int not null);
insert into users.list_total values (0);
create table users.list_fence (
  sort_by text not null,
  rank int not null,
  key text collate "C" not null,
  id uuid not null,
  primary key (sort_by, rank)
);
create table users.list_change (
  sign int not null,
  id uuid not null,
  created_at timestamptz(3) not null,
  email_key text collate "C" not null,
  first_name_key text collate "C" not null,
  last_name_key text collate "C" not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

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
create trigger note_insert after insert on users.person
  referencing new table as made for each statement execute function users.note_list_change();
create trigger note_update after update on users.person
  referencing new table as made old table as gone for each statement execute function users.note_list_change();
create trigger note_delete after delete on users.person
  referencing old table as gone for each statement execute function users.note_list_change();
