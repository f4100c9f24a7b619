-- Projects. A column with a constant default rewrites no table; the largest that is written is the index of users.

create table auth.project (
  id text primary key check (id ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  name text not null,
  rate_limit_api_key integer,
  rate_limit_sdk integer,
  created_at timestamptz(3) default now() not null
);
insert into auth.project (id, name, created_at) values ('default', 'Default', '2026-11-25');

create table auth.member (
  project_id text not null references auth.project(id) on delete cascade,
  developer_id uuid not null references auth.developer(id) on delete cascade,
  role text not null check (role in ('admin', 'developer', 'support', 'analyst')),
  created_at timestamptz(3) default now() not null,
  constraint member_pkey primary key (developer_id, project_id)
);
create index member_project on auth.member (project_id);

-- Everyone who has an account before projects exist may do everything, as before.
alter table auth.developer add column is_owner boolean default true not null;
alter table auth.developer alter column is_owner set default false;

alter table auth.api_key
  add column project_id text default 'default' not null,
  add column scopes text[],
  add column expires_at timestamptz(3),
  add column addresses text[],
  add constraint api_key_project_id_fkey foreign key (project_id) references auth.project(id) on delete cascade;
create index api_key_project on auth.api_key (project_id);
alter table auth.application
  add column project_id text default 'default' not null,
  add constraint application_project_id_fkey foreign key (project_id) references auth.project(id) on delete cascade;
create index application_project on auth.application (project_id);

alter table auth.family add column project_id text;
update auth.family set project_id = 'default' where user_id is not null;

alter table auth.audit_entry add column project_id text default 'default' not null;
drop index auth.audit_entry_action;
create index audit_entry_action on auth.audit_entry (project_id, action, id);
create index audit_entry_project on auth.audit_entry (project_id, id);

create or replace function auth.note_api_key() returns trigger language plpgsql as $$
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

create or replace function auth.note_application() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_id, subject_name, project_id)
  values (auth.actor(),
    'application.' || case when tg_op = 'INSERT' then 'created' when tg_op = 'DELETE' then 'deleted'
      when new.secret_hash <> old.secret_hash then 'secret_rotated' else 'renamed' end,
    coalesce(new.id, old.id), coalesce(new.name, old.name), coalesce(new.project_id, old.project_id));
  return null;
end $$;

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
create trigger member_noted after insert or delete or update of role on auth.member
  for each row
  execute function auth.note_member();

create function auth.note_project() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_name, project_id, details)
  values (auth.actor(), 'project.' || case tg_op when 'INSERT' then 'created' when 'DELETE' then 'deleted' else 'updated' end,
    coalesce(new.id, old.id), 'default', nullif(current_setting('auth.details', true), '')::jsonb);
  return null;
end $$;

alter table users.person add column project_id text default 'default' not null;
drop index users.person_created_at;
drop index users.person_email;
drop index users.person_external_user_id;
drop index users.person_first_name;
drop index users.person_last_name;
create index person_created_at on users.person (project_id, created_at, id) where deleted_at is null;
create index person_email on users.person (project_id, email_key, id) where deleted_at is null;
create unique index person_external_user_id on users.person (project_id, external_user_id) where deleted_at is null;
create index person_first_name on users.person (project_id, first_name_key, id) where deleted_at is null;
create index person_last_name on users.person (project_id, last_name_key, id) where deleted_at is null;

create function users.project_of(whose uuid) returns text language plpgsql stable security definer
    set search_path to '' as $$
begin
  return (select project_id from users.person where id = whose);
end $$;

alter table users.connection add column project_id text default 'default' not null;
create function users.set_project() returns trigger language plpgsql as $$
begin
  new.project_id := coalesce((select project_id from users.person where id = new.user_id), 'default');
  return new;
end $$;
create trigger set_project before insert or update of user_id, project_id on users.connection
  for each row
  execute function users.set_project();

alter table users.connection_change add column project_id text default 'default' not null;
alter table users.person_status_change add column project_id text default 'default' not null;
create or replace function users.note_connection_change() returns trigger language plpgsql as $$
begin
  if tg_op in ('INSERT', 'UPDATE') then
    insert into users.connection_change (project_id, provider, status, n) values (new.project_id, new.provider, new.status, 1);
  end if;
  if tg_op in ('DELETE', 'UPDATE') then
    insert into users.connection_change (project_id, provider, status, n) values (old.project_id, old.provider, old.status, -1);
  end if;
  return null;
end $$;

create or replace function users.note_person_status() returns trigger language plpgsql as $$
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

alter table users.list_change add column project_id text default 'default' not null;
create index list_change_project on users.list_change (project_id);
create or replace function users.note_list_change() returns trigger language plpgsql as $$
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

alter table users.list_total add column project_id text default 'default' not null, add constraint list_total_pkey primary key (project_id);
alter table users.list_fence add column project_id text default 'default' not null;
alter table users.list_fence drop constraint list_fence_pkey;
alter table users.list_fence add constraint list_fence_pkey primary key (project_id, sort_by, rank);

alter table changes.change add column project_id text default 'default' not null;
create index change_of_project on changes.change (project_id, id);
drop index changes.change_of_type;
create index change_of_type on changes.change (project_id, type, id);
create function changes.project_of(whose uuid) returns text language plpgsql stable security definer
    set search_path to '' as $$
begin
  return coalesce((select project_id from users.person where id = whose), 'default');
end $$;

alter table webhooks.endpoint add column project_id text default 'default' not null;
create index endpoint_project on webhooks.endpoint (project_id);

create function auth.record_audit(actor text, request_id text, action text, user_id uuid, subject_id uuid, details jsonb,
    project_id text) returns void language sql security definer
    set search_path to '' as $_$
  insert into auth.audit_entry (actor, request_id, action, user_id, subject_id, details, project_id)
  values ($1, $2, $3, $4, $5, $6, coalesce($7, users.project_of($4), 'default'))
$_$;
