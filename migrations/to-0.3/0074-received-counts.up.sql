-- What was received, by minute, provider and process, kept for two days. Each process writes its own rows, with the counts of
-- the whole minute, so that a write can be repeated and processes do not wait for each other.
create table deliveries.received_minute (
  minute timestamptz not null,
  provider text not null,
  process uuid not null,
  deliveries int not null,
  records int not null,
  samples int not null,
  primary key (minute, provider, process)
);
