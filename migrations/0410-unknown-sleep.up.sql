-- A night of which only the time in bed is known has no time asleep.
alter table timeseries.sleep_session alter column asleep_seconds drop not null;
