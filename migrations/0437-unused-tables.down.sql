drop index users.person_unerased;
alter table users.person add column erasure_tried_at timestamptz(3);
create index person_unerased on users.person (erasure_tried_at) where (deleted_at is not null) and (erased_at is null);

create function jobs.enqueue_instead() returns trigger language plpgsql security definer set search_path to '' as $$
begin
  perform jobs.enqueue_row(tg_argv[0], tg_argv[1]::text[], tg_argv[2]::text[], to_jsonb(new));
  return null;
end $$;

create table users.farewell (
  id uuid default gen_random_uuid() primary key,
  connection_id uuid not null,
  provider text not null,
  provider_user_id text not null,
  access_token text not null,
  refresh_token text,
  expires_at timestamptz(3),
  attempts integer default 0 not null,
  run_at timestamptz default now() not null,
  created_at timestamptz default now() not null
);
alter table users.farewell
  alter column provider_user_id set statistics 0, alter column access_token set statistics 0, alter column refresh_token set statistics 0;
create index farewell_due on users.farewell (run_at);
create trigger enqueue before insert on users.farewell for each row
  execute function jobs.enqueue_instead('users.token_revocation', '{connection_id,provider_user_id}', '{connection_id,provider,provider_user_id,access_token,refresh_token,expires_at}');

create table connect.history (
  user_id uuid not null,
  provider text not null,
  run_at timestamptz default now() not null,
  attempts integer default 0 not null,
  wanted_at timestamptz default now() not null,
  primary key (user_id, provider)
);
create trigger enqueue before insert on connect.history for each row
  execute function jobs.enqueue_instead('connect.backfill', '{user_id,provider}', '{user_id,provider}');

create table timeseries.user_clock (
  user_id uuid primary key,
  zone_offset_minutes smallint not null,
  start_time timestamptz not null
);
