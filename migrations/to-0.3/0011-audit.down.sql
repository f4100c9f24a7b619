drop trigger family_noted on auth.family;
drop trigger application_noted on auth.application;
drop trigger api_key_noted on auth.api_key;
drop trigger developer_noted on auth.developer;
drop function auth.note_family, auth.note_application, auth.note_api_key, auth.note_developer, auth.actor;
drop table auth.audit_entry;
