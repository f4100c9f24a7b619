alter table freshness.connection add column gaps_at timestamptz default now() + random() * interval '1 day' not null;
create index connection_gaps on freshness.connection (provider, gaps_at) where ended_at is null;
alter table freshness.arrival add column gaps_asked date[] default '{}' not null;

alter table backfill.run add column lane smallint default 0 not null;
