create or replace function auth.note_family() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_id, user_id)
  values (new.issued_by,
    case when new.user_id is not null then 'token.issued'
      when coalesce(current_setting('auth.by_link', true), '') = 'on' then 'developer.signed_in_by_link'
      else 'developer.logged_in' end,
    new.id, new.user_id);
  return null;
end $$;

drop table auth.identity;

alter table auth.project drop column require_second_factor;
alter table auth.family drop column second_factor;

drop table auth.recovery_code;
drop table auth.totp;
drop table auth.reset_link;
drop trigger member_demoted on auth.member;
drop function auth.end_invitations();
drop table auth.invitation;
