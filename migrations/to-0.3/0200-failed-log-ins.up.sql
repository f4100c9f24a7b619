-- Failed log-ins of an account from one address range within an hour are one entry of the audit trail, which counts them.
-- `rollup` identifies it: a hash of account, range and hour.
alter table auth.audit_entry add column rollup uuid;
create unique index audit_entry_rollup on auth.audit_entry (rollup) where rollup is not null;
