-- How a workout counts in the sums of a day: `counted_with` names the one that several devices of a provider recorded,
-- `counted_on` the local day, where another recording of the same workout decides it.
alter table timeseries.workout add column counted_with uuid, add column counted_on date;
update timeseries.workout w set counted_on = listed.local_date
from timeseries.workout listed where listed.user_id = w.user_id and listed.id = w.duplicate_of;
