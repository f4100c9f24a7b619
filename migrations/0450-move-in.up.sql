-- Credentials that were moved in from another installation, by the hash of a key or token and the id of an application. A row outlives
-- its credential, so that a repeated move does not bring back what was deleted here.
create table auth.moved_in (
  kind text not null check (kind in ('api_key', 'application', 'refresh_token')),
  name text not null,
  moved_at timestamptz(3) default now() not null,
  primary key (kind, name)
);

-- The bcrypt hash of a moved application becomes ours when its secret is first used: the secret is the same, so that has no entry.
create or replace function auth.note_application() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('auth.rehashes', true), '') = 'on' then return null; end if;
  insert into auth.audit_entry (actor, action, subject_id, subject_name, project_id)
  values (auth.actor(),
    'application.' || case when tg_op = 'INSERT' then 'created' when tg_op = 'DELETE' then 'deleted'
      when new.secret_hash <> old.secret_hash then 'secret_rotated' else 'renamed' end,
    coalesce(new.id, old.id), coalesce(new.name, old.name), coalesce(new.project_id, old.project_id));
  return null;
end $$;

-- The version that the tokens of a moved connection have while nothing here has changed them. Null: it was not moved.
alter table users.connection add column moved_version integer;
