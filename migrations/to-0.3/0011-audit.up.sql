-- Who created, changed, deleted what, and issued tokens for whom. Triggers write it, so that no change is without
-- its entry, not even one by hand; who acts is told by a setting of the transaction, and is null where nobody was.
create table auth.audit_entry (
  id bigint generated always as identity primary key,
  at timestamptz(3) not null default now(),
  actor text,
  action text not null,
  subject_id uuid not null,
  subject_name text,
  user_id uuid
);
create index audit_entry_user on auth.audit_entry (user_id, id) where user_id is not null;

create function auth.actor() returns text language sql stable return nullif(current_setting('auth.actor', true), '');

create function auth.note_developer() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_id, subject_name)
  values (auth.actor(), 'developer.' || case tg_op when 'INSERT' then 'created' when 'DELETE' then 'deleted' else 'password_changed' end,
    coalesce(new.id, old.id), null);
  return null;
end $$;
create trigger developer_noted after insert or delete or update of password on auth.developer
  for each row execute function auth.note_developer();

-- A rotation deletes one row and inserts another in one statement: the statement's setting makes it one entry.
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
create trigger api_key_noted after insert or delete or update of name on auth.api_key
  for each row execute function auth.note_api_key();

create function auth.note_application() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_id, subject_name)
  values (auth.actor(),
    'application.' || case when tg_op = 'INSERT' then 'created' when tg_op = 'DELETE' then 'deleted'
      when new.secret_hash <> old.secret_hash then 'secret_rotated' else 'renamed' end,
    coalesce(new.id, old.id), coalesce(new.name, old.name));
  return null;
end $$;
create trigger application_noted after insert or delete or update of name, secret_hash on auth.application
  for each row execute function auth.note_application();

-- A family says itself who began it.
create function auth.note_family() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_id, user_id)
  values (new.issued_by, case when new.user_id is null then 'developer.logged_in' else 'token.issued' end, new.id, new.user_id);
  return null;
end $$;
create trigger family_noted after insert on auth.family for each row execute function auth.note_family();
