-- What a delivery at a plain webhook address reports is final. Endings that a read of the provider should have confirmed are final now.
update users.connection c
set status_reason = null, access_token = null, refresh_token = null, previous_refresh_token = null, expires_at = null,
  token_version = token_version + 1, refresh_leased_until = null
from users.access_check a
where a.connection_id = c.id and a.ending = 'applied' and c.status = 'revoked';
drop table users.held_delivery, users.access_check, users.access_quota;
delete from jobs.job where kind in ('users.restoration', 'timeseries.unauthenticated', 'activitynet.postponed');

-- Activities that were hidden until such a read are deleted by their jobs.
update timeseries.workout set deleted_at = null where hidden;
update activitynet.activity
set work = 'delete', priority = -1, version = version + 1, run_at = now()
where unconfirmed and delete_time >= greatest(create_time, update_time, -1);
update activitynet.activity set priority = 0, run_at = now() where priority = 20;
drop table activitynet.owner_reads, activitynet.fruitless_reads;
alter table activitynet.activity drop column unconfirmed, drop column authenticated, drop column prepaid;

drop trigger wipe_details on timeseries.workout;
alter table timeseries.workout drop column hidden;
create trigger wipe_details after update on timeseries.workout
  for each row when (new.deleted_at is not null) execute function timeseries.wipe_details();
alter table timeseries.activity_block drop column hidden;
alter table timeseries.item drop column unauthenticated;
alter table pull.connection drop column unauthenticated_at;
alter table deliveries.delivery drop column authenticated;
