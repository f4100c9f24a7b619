-- Audit entries of every service: the request that made the change, and details that hold ids, names of fields and
-- counts. A failed log-in has no subject where the address is unknown.
alter table auth.audit_entry add column request_id text default nullif(current_setting('auth.request_id', true), '');
alter table auth.audit_entry add column details jsonb;
alter table auth.audit_entry alter column subject_id drop not null;
create index audit_entry_actor on auth.audit_entry (actor, id) where actor is not null;
create index audit_entry_action on auth.audit_entry (action, id);
create index audit_entry_at on auth.audit_entry (at);

-- The way in for all services: it runs in the transaction of the change, with the rights of the table's owner. A
-- service needs no right on the table, and the service auth need not run.
create function auth.record_audit(actor text, request_id text, action text, user_id uuid, subject_id uuid, details jsonb)
returns void language sql security definer set search_path = '' as $$
  insert into auth.audit_entry (actor, request_id, action, user_id, subject_id, details)
  values ($1, $2, $3, $4, $5, $6)
$$;
