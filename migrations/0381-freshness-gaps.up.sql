-- Gaps are looked for once a night: `gaps_at` is the time of the next look, and `gaps_asked` has the local days without data of a
-- kind that were requested again. Days older than a week are removed from it at each look that requests others.
alter table freshness.connection add column gaps_at timestamptz default now() + random() * interval '1 day' not null;
create index connection_gaps on freshness.connection (provider, gaps_at) where ended_at is null;
alter table freshness.arrival add column gaps_asked date[] default '{}' not null;

-- Requests of a lower lane are sent first.
alter table backfill.run add column lane smallint default 0 not null;
