create schema jobs;

create function jobs.enqueue_row(kind text, key_columns text[], payload_columns text[], entry jsonb) returns void language sql as $$
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

create function jobs.enqueue_written() returns trigger language plpgsql security definer set search_path to '' as $$
begin
  perform jobs.enqueue_row(tg_argv[0], tg_argv[1]::text[], tg_argv[2]::text[], to_jsonb(new));
  return new;
end $$;

-- Work that is due at a time, one row of a kind and key.
create table jobs.job (
  kind text not null,
  key text not null,
  lane smallint default 0 not null,
  run_at timestamptz default now() not null,
  leased boolean default false not null,
  attempt integer default 0 not null,
  failures integer default 0 not null,
  crashes integer default 0 not null,
  version integer default 0 not null,
  cancelled boolean default false not null,
  payload jsonb default '{}' not null,
  error text,
  created_at timestamptz default now() not null,
  dead_at timestamptz,
  primary key (kind, key)
);
alter table jobs.job alter column key set statistics 0, alter column payload set statistics 0;
create index job_dead on jobs.job (dead_at) where dead_at is not null;
create index job_due on jobs.job (kind, lane, run_at) where dead_at is null;
