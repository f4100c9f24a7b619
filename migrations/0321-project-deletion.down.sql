create or replace function auth.note_project() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_name, project_id)
  values (auth.actor(), 'project.' || case tg_op when 'INSERT' then 'created' when 'DELETE' then 'deleted' else 'updated' end,
    coalesce(new.id, old.id), 'default');
  return null;
end $$;

-- The credentials of these projects would be accepted again.
do $$ begin
  if exists (select from auth.project where deleting_at is not null) then
    raise exception 'projects are being deleted: wait for the end before this step is taken back';
  end if;
end $$;
alter table auth.project drop column deleting_at, drop column deleting_users;
