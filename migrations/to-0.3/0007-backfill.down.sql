alter table users.connection
  drop column token_version,
  drop column refresh_leased_until,
  drop column status_reason;
drop schema backfill cascade;
