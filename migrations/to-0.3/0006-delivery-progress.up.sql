-- What the attempts at one delivery have reached: bodies that had to be fetched, which are kept as long as their
-- delivery is, and what came of them. A row an entry, so that a long delivery is not rewritten for each.
create table deliveries.progress (
  delivery_id uuid not null references deliveries.delivery on delete cascade,
  entry text not null,
  body bytea,
  result json,
  result_at timestamptz,
  primary key (delivery_id, entry)
);
do $$ begin
  alter table deliveries.progress alter column body set compression lz4;
exception when feature_not_supported then null;
end $$;

-- The claim, kind by kind: what waits for another's server must not stand before what need not.
drop index deliveries.delivery_due;
create index delivery_due on deliveries.delivery (provider, kind, priority, run_at)
  where state in ('ready', 'working');
