create or replace function auth.note_family() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_id, user_id, project_id)
  values (new.issued_by,
    case when new.user_id is not null then 'token.issued'
      when coalesce(current_setting('auth.by_link', true), '') = 'on' then 'developer.signed_in_by_link'
      else 'developer.logged_in' end,
    new.id, new.user_id, coalesce(new.project_id, 'default'));
  return null;
end $$;

drop table auth.identity;

drop trigger project_noted on auth.project;
create trigger project_noted after insert or delete or update of name, rate_limit_api_key, rate_limit_sdk on auth.project
  for each row
  execute function auth.note_project();
alter table auth.project drop column require_second_factor;
alter table auth.family drop column second_factor;

drop table auth.recovery_code;
drop table auth.totp;
drop table auth.reset_link;
drop trigger member_demoted on auth.member;
drop function auth.end_invitations();
drop table auth.invitation;
