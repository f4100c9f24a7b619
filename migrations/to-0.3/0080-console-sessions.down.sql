create or replace function auth.note_family() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_id, user_id)
  values (new.issued_by, case when new.user_id is null then 'developer.logged_in' else 'token.issued' end, new.id, new.user_id);
  return null;
end $$;
drop table auth.sign_in_link;
drop table auth.console_session;
