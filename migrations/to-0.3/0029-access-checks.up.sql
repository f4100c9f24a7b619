-- What an event that nobody authenticated changed at a connection, until a read at the provider confirms or
-- contradicts it; and what is left to do after such an event. One row a connection, kept for its limits.
create table users.access_check (
  connection_id uuid primary key references users.connection on delete cascade,
  provider text not null,
  -- applied: the connection shows `revoked` and keeps its tokens. wanted: the provider is asked before anything
  -- changes. restoring: the ending was contradicted; stopped work is resumed and held deliveries are replayed.
  ending text check (ending in ('applied', 'wanted', 'restoring')),
  -- Since when the ending stopped work of the connection.
  ending_since timestamptz(3),
  -- When a change of permissions came that is still to be confirmed.
  permissions_since timestamptz(3),
  -- Counted at each claim: only the holder of the newest may write an outcome.
  attempt int not null default 0,
  -- Tries without a result since the check was opened.
  failures int not null default 0,
  run_at timestamptz not null default now(),
  -- Reads of this account in the current window.
  window_start timestamptz not null default '-infinity',
  window_reads int not null default 0,
  -- When the last read began, and when one began that found our access good: events that came before it are void.
  read_at timestamptz(3),
  confirmed_at timestamptz(3)
);
create index access_check_due on users.access_check (provider, run_at)
  where ending is not null or permissions_since is not null;
create index access_check_applied on users.access_check (provider) where ending = 'applied';

-- Reads for such checks, of all accounts of a provider together, in the current window.
create table users.access_quota (
  provider text primary key,
  window_start timestamptz not null default '-infinity',
  reads int not null default 0
);

-- Deliveries that came for a connection while its ending was unconfirmed: replayed when it is restored.
create table users.held_delivery (
  connection_id uuid not null references users.connection on delete cascade,
  delivery_id uuid not null,
  primary key (connection_id, delivery_id)
);
