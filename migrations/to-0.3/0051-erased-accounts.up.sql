-- Accounts at providers whose data was erased: what still comes for one of them is taken out of the kept deliveries.
-- `account_hash` is an HMAC with a key made of ENCRYPTION_KEY, so the account cannot be read or guessed from the row.
create table users.erased_account (
  provider text not null,
  account_hash bytea not null,
  -- The last delivery for the account, or its erasure.
  seen_at timestamptz not null default now(),
  primary key (provider, account_hash)
);
create index erased_account_seen on users.erased_account (seen_at);
