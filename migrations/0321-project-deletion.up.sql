alter table auth.project
  add column deleting_at timestamptz(3),
  add column deleting_users integer;

create or replace function auth.note_project() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_name, project_id, details)
  values (auth.actor(), 'project.' || case tg_op when 'INSERT' then 'created' when 'DELETE' then 'deleted' else 'updated' end,
    coalesce(new.id, old.id), 'default', nullif(current_setting('auth.details', true), '')::jsonb);
  return null;
end $$;
