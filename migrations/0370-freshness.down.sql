drop schema freshness cascade;
drop function changes.of_freshness();
delete from changes.pending where kind = 'connection' and action in ('stale', 'fresh');
delete from changes.change where type in ('connection.stale', 'connection.fresh') or type like 'provider.incident.%';
delete from jobs.job where kind like 'freshness.%';
