create or replace function changes.record(whose uuid, of_kind text, what text, of_object text, at timestamptz, details jsonb,
  from_time timestamptz default null, until_time timestamptz default null, values_written bigint default 0) returns void
language plpgsql as $$
declare
  is_historical boolean := coalesce(at < now() - interval '2 days', false);
begin
  if current_setting('changes.unrecorded', true) = 'on' then return; end if;
  insert into changes.pending as p (user_id, kind, object, action, historical, first_at, last_at, n, data, due_at)
  select whose, of_kind, of_object, what, is_historical, from_time, until_time, values_written, details,
    now() + case when is_historical then j.historical else '0' end
  from changes.joining j
  on conflict (user_id, kind, object) do update set
    action = case
      when p.action = 'created' and excluded.action = 'updated' then 'created'
      when p.action = 'deleted' and excluded.action = 'created' then 'updated'
      else excluded.action end,
    place = case when p.action is null then nextval('changes.place') else p.place end,
    historical = excluded.historical and (p.historical or p.action is null),
    first_at = case when p.action is null then excluded.first_at else least(p.first_at, excluded.first_at) end,
    last_at = case when p.action is null then excluded.last_at else greatest(p.last_at, excluded.last_at) end,
    n = case when p.action is null then excluded.n else p.n + excluded.n end,
    data = excluded.data,
    recorded_at = case when p.action is null then excluded.recorded_at else p.recorded_at end,
    due_at = case when p.due_at is not null then least(p.due_at, excluded.due_at)
      else greatest(excluded.due_at,
        p.published_at + (select case when is_historical then j.historical else j.live end from changes.joining j)) end;
end $$;
