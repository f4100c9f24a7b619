-- The calendar of a user's data counts records by local day. The other records were the only ones without an index on it.
create index other_record_by_local_date on timeseries.other_record (user_id, local_date);
