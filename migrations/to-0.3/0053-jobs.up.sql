-- Jobs of all services that are not the state of a row of their owner. A job that is done is deleted.
create schema jobs;

create table jobs.job (
  kind text not null,
  -- One job per kind and key.
  key text not null,
  -- Lower is claimed first: 0 live, 10 historical.
  lane smallint not null default 0,
  -- When the job is due, or when its lease ends.
  run_at timestamptz not null default now(),
  leased boolean not null default false,
  -- Increases with each claim. Only the holder of the newest attempt may store an outcome.
  attempt int not null default 0,
  -- Failed attempts, and attempts without an outcome since the last one that had one.
  failures int not null default 0,
  crashes int not null default 0,
  -- Increases when the job is enqueued again or cancelled.
  version int not null default 0,
  -- Cancelled during an attempt: the row is deleted after it, so that a job with the same key does not run beside it.
  cancelled boolean not null default false,
  payload jsonb not null default '{}',
  -- The code of the last failure.
  error text,
  created_at timestamptz not null default now(),
  -- Since when the job is a dead letter.
  dead_at timestamptz,
  primary key (kind, key)
);
create index job_due on jobs.job (kind, lane, run_at) where dead_at is null;
-- Keys and payloads may contain accounts and encrypted tokens.
alter table jobs.job alter column key set statistics 0, alter column payload set statistics 0;

-- Waiting work of the tables that were queues until now.
create function jobs.enqueue_row(kind text, key_columns text[], payload_columns text[], entry jsonb) returns void
language sql as $$
  insert into jobs.job as j (kind, key, payload, run_at)
  select kind,
    coalesce((select string_agg(entry ->> c, ':' order by n) from unnest(key_columns) with ordinality k (c, n)), ''),
    coalesce((select jsonb_object_agg(c, entry -> c) from unnest(payload_columns) c), '{}'),
    coalesce((entry ->> 'run_at')::timestamptz, now())
  on conflict (kind, key) do update set payload = excluded.payload, version = j.version + 1, failures = 0, crashes = 0,
    error = null, dead_at = null, cancelled = false,
    run_at = case when j.leased then j.run_at when j.dead_at is null then least(j.run_at, excluded.run_at)
      else excluded.run_at end;
$$;

select jobs.enqueue_row('users.token_revocation', '{connection_id,provider_user_id}',
  '{connection_id,provider,provider_user_id,access_token,refresh_token,expires_at}', to_jsonb(f))
from users.farewell f order by created_at;
delete from users.farewell;
select jobs.enqueue_row('connect.backfill', '{user_id,provider}', '{user_id,provider}', to_jsonb(h))
from connect.history h;
delete from connect.history;
select jobs.enqueue_row('users.erasure', '{id}', '{}', jsonb_build_object('id', id))
from users.person where deleted_at is not null and erased_at is null;
select jobs.enqueue_row('users.purge', '{id}', '{}', jsonb_build_object('id', id))
from users.connection where purge = 'wanted';
select jobs.enqueue_row('users.restoration', '{connection_id}', '{}', to_jsonb(a))
from users.access_check a where ending = 'restoring';
select jobs.enqueue_row('timeseries.erasure', '{user_id}', '{}', to_jsonb(t))
from timeseries.tombstone t where finished_at is null;
select jobs.enqueue_row('timeseries.purge', '{user_id,provider}', '{user_id,provider}', to_jsonb(p))
from timeseries.purge p where not items_done or cardinality(series_ids) > 0;
select jobs.enqueue_row('deliveries.erasure', '{}', '{}', to_jsonb(e))
from deliveries.erasure e order by run_at;

-- Processes of the previous version still write the former queues during the migration. These triggers enqueue that work. They are dropped one
-- release later. Arguments: kind, key columns, payload columns.
create function jobs.enqueue_written() returns trigger language plpgsql as $$
begin
  perform jobs.enqueue_row(tg_argv[0], tg_argv[1]::text[], tg_argv[2]::text[], to_jsonb(new));
  return new;
end $$;
-- As above, for the tables that jobs.job replaces: their row is not kept.
create function jobs.enqueue_instead() returns trigger language plpgsql as $$
begin
  perform jobs.enqueue_row(tg_argv[0], tg_argv[1]::text[], tg_argv[2]::text[], to_jsonb(new));
  return null;
end $$;

create trigger enqueue before insert on users.farewell for each row
  execute function jobs.enqueue_instead('users.token_revocation', '{connection_id,provider_user_id}',
    '{connection_id,provider,provider_user_id,access_token,refresh_token,expires_at}');
create trigger enqueue before insert on connect.history for each row
  execute function jobs.enqueue_instead('connect.backfill', '{user_id,provider}', '{user_id,provider}');
create trigger enqueue_erasure after update of deleted_at on users.person for each row
  when (new.deleted_at is not null and old.deleted_at is null)
  execute function jobs.enqueue_written('users.erasure', '{id}', '{}');
create trigger enqueue_purge after update of purge on users.connection for each row
  when (new.purge = 'wanted')
  execute function jobs.enqueue_written('users.purge', '{id}', '{}');
create trigger enqueue_restoration after update of ending on users.access_check for each row
  when (new.ending = 'restoring' and old.ending is distinct from 'restoring')
  execute function jobs.enqueue_written('users.restoration', '{connection_id}', '{}');
create trigger enqueue_erasure after insert on timeseries.tombstone for each row
  execute function jobs.enqueue_written('timeseries.erasure', '{user_id}', '{}');
create trigger enqueue_purge after insert or update of version on timeseries.purge for each row
  execute function jobs.enqueue_written('timeseries.purge', '{user_id,provider}', '{user_id,provider}');
create trigger enqueue_erasure after insert on deliveries.erasure for each row
  execute function jobs.enqueue_written('deliveries.erasure', '{}', '{}');
