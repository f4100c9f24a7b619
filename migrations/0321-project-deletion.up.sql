alter table auth.project
  add column deleting_at timestamptz(3),
  add column deleting_users integer;
