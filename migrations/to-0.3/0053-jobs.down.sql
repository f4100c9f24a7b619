drop trigger enqueue_erasure on deliveries.erasure;
drop trigger enqueue_purge on timeseries.purge;
drop trigger enqueue_erasure on timeseries.tombstone;
drop trigger enqueue_restoration on users.access_check;
drop trigger enqueue_purge on users.connection;
drop trigger enqueue_erasure on users.person;
drop trigger enqueue on connect.history;
drop trigger enqueue on users.farewell;
insert into users.farewell
  (connection_id, provider, provider_user_id, access_token, refresh_token, expires_at, run_at, created_at)
select (payload ->> 'connection_id')::uuid, payload ->> 'provider', payload ->> 'provider_user_id',
  payload ->> 'access_token', payload ->> 'refresh_token', (payload ->> 'expires_at')::timestamptz, run_at, created_at
from jobs.job where kind = 'users.token_revocation' and dead_at is null;
insert into connect.history (user_id, provider, run_at)
select (payload ->> 'user_id')::uuid, payload ->> 'provider', run_at
from jobs.job where kind = 'connect.backfill' and dead_at is null;
drop schema jobs cascade;
