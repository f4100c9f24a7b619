alter table auth.invitation drop column confirms;
alter table auth.developer drop column confirmed_at;
