alter table auth.refresh_token drop column consumed_by;
