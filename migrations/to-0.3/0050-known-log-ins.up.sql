-- Network addresses from which a developer has logged in: their password hashes are computed first. `address_hash` is the
-- SHA-256 of the address.
create table auth.known_log_in (
  developer_id uuid not null references auth.developer on delete cascade,
  address_hash bytea not null,
  last_at timestamptz not null default now(),
  primary key (developer_id, address_hash)
) with (fillfactor = 80);
create index known_log_in_last on auth.known_log_in (last_at);
