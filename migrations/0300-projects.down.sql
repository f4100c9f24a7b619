drop function auth.record_audit(text, text, text, uuid, uuid, jsonb, text);

-- The rows of other projects would be seen by everyone. Whoever goes back deletes the projects first.
do $$ begin
  if exists (select from auth.project where id <> 'default') then
    raise exception 'projects other than default exist: delete them before this step is taken back';
  end if;
end $$;

drop index webhooks.endpoint_project;
alter table webhooks.endpoint drop column project_id;

drop function changes.project_of(uuid);
drop index changes.change_of_type;
drop index changes.change_of_project;
alter table changes.change drop column project_id;
create index change_of_type on changes.change (type, id);

alter table users.list_fence drop constraint list_fence_pkey;
alter table users.list_fence drop column project_id;
alter table users.list_fence add constraint list_fence_pkey primary key (sort_by, rank);
delete from users.list_total where project_id <> 'default';
alter table users.list_total drop constraint list_total_pkey;
alter table users.list_total drop column project_id;
create or replace function users.note_list_change() returns trigger language plpgsql as $$
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
drop index users.list_change_project;
alter table users.list_change drop column project_id;
create or replace function users.note_connection_change() returns trigger language plpgsql as $$
begin
  if tg_op in ('INSERT', 'UPDATE') then
    insert into users.connection_change values (new.provider, new.status, 1);
  end if;
  if tg_op in ('DELETE', 'UPDATE') then
    insert into users.connection_change values (old.provider, old.status, -1);
  end if;
  return null;
end $$;
create or replace function users.note_person_status() returns trigger language plpgsql as $$
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
alter table users.person_status_change drop column project_id;
alter table users.connection_change drop column project_id;
drop trigger set_project on users.connection;
drop function users.set_project();
alter table users.connection drop column project_id;
drop function users.project_of(uuid);
drop index users.person_created_at;
drop index users.person_email;
drop index users.person_external_user_id;
drop index users.person_first_name;
drop index users.person_last_name;
alter table users.person drop column project_id;
create index person_created_at on users.person (created_at, id) where deleted_at is null;
create index person_email on users.person (email_key, id) where deleted_at is null;
create unique index person_external_user_id on users.person (external_user_id) where deleted_at is null;
create index person_first_name on users.person (first_name_key, id) where deleted_at is null;
create index person_last_name on users.person (last_name_key, id) where deleted_at is null;

drop function auth.note_project();
drop trigger member_noted on auth.member;
drop function auth.note_member();
create or replace function auth.note_application() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_id, subject_name)
  values (auth.actor(),
    'application.' || case when tg_op = 'INSERT' then 'created' when tg_op = 'DELETE' then 'deleted'
      when new.secret_hash <> old.secret_hash then 'secret_rotated' else 'renamed' end,
    coalesce(new.id, old.id), coalesce(new.name, old.name));
  return null;
end $$;
create or replace function auth.note_api_key() returns trigger language plpgsql as $$
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
drop index auth.audit_entry_project;
drop index auth.audit_entry_action;
alter table auth.audit_entry drop column project_id;
create index audit_entry_action on auth.audit_entry (action, id);
alter table auth.family drop column project_id;
alter table auth.application drop column project_id;
alter table auth.api_key drop column project_id, drop column scopes, drop column expires_at, drop column addresses;
alter table auth.developer drop column is_owner;
drop table auth.member;
drop table auth.project;
