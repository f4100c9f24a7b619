alter table timeseries.sleep_session alter column asleep_seconds set default 0;
update timeseries.sleep_session set asleep_seconds = 0 where asleep_seconds is null;
alter table timeseries.sleep_session alter column asleep_seconds set not null, alter column asleep_seconds drop default;
