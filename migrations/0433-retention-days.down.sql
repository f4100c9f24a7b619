alter table timeseries.retention_rule add column rule jsonb;
update timeseries.retention_rule set rule = jsonb_build_object(
  'samples', jsonb_build_object('default_days', samples_days, 'types', jsonb_build_object()), 'events_days', events_days);
alter table timeseries.retention_rule alter column rule set not null, drop column samples_days, drop column events_days;
