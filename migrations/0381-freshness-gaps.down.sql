alter table backfill.run drop column lane;
alter table freshness.arrival drop column gaps_asked;
alter table freshness.connection drop column gaps_at;
delete from jobs.job where kind in ('freshness.gaps', 'freshness.gap_request', 'freshness.gap_outcome');
