alter table auth.audit_entry drop column rollup;
