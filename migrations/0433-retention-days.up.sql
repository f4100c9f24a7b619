-- Days of a project instead of a rule by series type. Null keeps all.
alter table timeseries.retention_rule add column samples_days integer, add column events_days integer;
update timeseries.retention_rule
set samples_days = (rule #>> '{samples,default_days}')::integer, events_days = (rule ->> 'events_days')::integer;
delete from timeseries.retention_rule where samples_days is null and events_days is null;
alter table timeseries.retention_rule drop column rule;
