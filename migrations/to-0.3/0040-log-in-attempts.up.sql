-- Failed log-ins, tokens and refreshes of an address in a minute, and of an account in an hour; those in work count
-- too. `subject` is a hash. Unlogged: after a crash of the database everyone starts anew.
create unlogged table auth.attempt_window (
  subject uuid primary key,
  started_at timestamptz not null,
  count int not null
) with (fillfactor = 50);
create index attempt_window_started on auth.attempt_window (started_at);
