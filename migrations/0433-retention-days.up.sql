-- Days of a project instead of a rule by series type. Null keeps all. The type that was kept longest decides, so that the next
-- pass deletes nothing that a rule has kept.
alter table timeseries.retention_rule add column samples_days integer, add column events_days integer;
update timeseries.retention_rule
set events_days = (rule ->> 'events_days')::integer,
  samples_days = case
    when exists (select from jsonb_each_text(rule #> '{samples,types}') t where t.value is null) then null
    when rule #>> '{samples,default_days}' is null then null
    else greatest((rule #>> '{samples,default_days}')::integer,
      (select max(t.value::integer) from jsonb_each_text(rule #> '{samples,types}') t)) end;
delete from timeseries.retention_rule where samples_days is null and events_days is null;
alter table timeseries.retention_rule drop column rule;
