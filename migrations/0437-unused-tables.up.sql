-- Tables that only processes of earlier releases wrote, and a column that nothing reads.
drop table users.farewell, connect.history, timeseries.user_clock;
drop function jobs.enqueue_instead;
alter table users.person drop column erasure_tried_at;
create index person_unerased on users.person (project_id) where deleted_at is not null and erased_at is null;
