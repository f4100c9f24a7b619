drop trigger changes_update on users.connection;
create or replace trigger changes after insert or update on users.connection
  for each row execute function changes.of_connection();
create or replace function changes.record_summary(whose uuid, summary text, day date, last_day date) returns void
language sql as $$
  select changes.record(whose, summary, 'updated', coalesce(day::text, ''), last_day + 1,
    case when day is null then '{}' else jsonb_build_object('date', day) end) $$;
create or replace function changes.record(whose uuid, of_kind text, what text, of_object text, at timestamptz, details jsonb,
  from_time timestamptz default null, until_time timestamptz default null, values_written bigint default 0) returns void
language plpgsql as $$
declare
  is_historical boolean := coalesce(at < now() - interval '2 days', false);
  is_series boolean := of_kind = 'timeseries';
  is_removal boolean := what = 'deleted' and of_kind <> 'user';
begin
  if current_setting('changes.unrecorded', true) = 'on' then return; end if;
  insert into changes.pending as p (user_id, kind, object, action, historical, first_at, last_at, n, data, due_at)
  select whose, of_kind, of_object, what, is_historical, from_time, until_time, values_written, details,
    now() + case when is_historical then j.historical else '0' end
  from changes.joining j
  on conflict (user_id, kind, object) do update set
    action = case
      when p.action = 'created' and is_removal then null
      when p.action = 'created' and excluded.action = 'updated' then 'created'
      when p.action = 'deleted' and excluded.action = 'created' then 'updated'
      else excluded.action end,
    place = case when p.action is null then nextval('changes.place') else p.place end,
    historical = excluded.historical and (p.historical or p.action is null),
    first_at = case
      when p.action is null or not is_series then excluded.first_at
      when p.first_at is null or excluded.first_at is null then null
      else least(p.first_at, excluded.first_at) end,
    last_at = case
      when p.action is null or not is_series then excluded.last_at
      when p.last_at is null or excluded.last_at is null then null
      else greatest(p.last_at, excluded.last_at) end,
    n = case when p.action is null then excluded.n else p.n + excluded.n end,
    data = excluded.data,
    recorded_at = case when p.action is null then excluded.recorded_at else p.recorded_at end,
    published_at = case when p.action = 'created' and is_removal then coalesce(p.published_at, now()) else p.published_at end,
    due_at = case
      when p.action = 'created' and is_removal then null
      when p.due_at is not null then least(p.due_at, excluded.due_at)
      else greatest(excluded.due_at,
        p.published_at + (select case when is_historical then j.historical else j.live end from changes.joining j)) end;
end $$;
drop function changes.join_pending;
create or replace function changes.external_id(whose uuid) returns text language sql stable as $$
  select external_user_id from users.person where id = whose $$;
