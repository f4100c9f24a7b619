drop function auth.record_audit;
drop index auth.audit_entry_at, auth.audit_entry_action, auth.audit_entry_actor;
delete from auth.audit_entry where subject_id is null;
alter table auth.audit_entry alter column subject_id set not null;
alter table auth.audit_entry drop column details, drop column request_id;
