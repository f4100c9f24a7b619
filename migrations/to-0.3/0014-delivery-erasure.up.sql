-- Accounts of people who were erased: what deliveries that came until then hold of them is taken out, behind. A row
-- goes when that is done.
create table deliveries.erasure (
  provider text not null,
  provider_user_id text not null,
  received_until timestamptz not null,
  -- The deliveries are gone through by their ids; this far they are.
  place uuid not null default '00000000-0000-0000-0000-000000000000',
  -- All are gone through, and `waiting` are left: they name the account and were not done.
  passed boolean not null default false,
  waiting uuid[] not null default '{}',
  run_at timestamptz not null,
  primary key (provider, provider_user_id, received_until)
);

-- When the last of what a body told was erased; it is empty then, and cannot be worked on again.
alter table deliveries.delivery add column erased_at timestamptz;
