create or replace function changes.record(whose uuid, of_kind text, what text, of_object text, at timestamptz, details jsonb,
  from_time timestamptz default null, until_time timestamptz default null, values_written bigint default 0) returns void
language plpgsql as $$
declare
  is_historical boolean := coalesce(at < now() - interval '2 days', false);
  due timestamptz := now();
begin
  if current_setting('changes.unrecorded', true) = 'on' then return; end if;
  if is_historical then select now() + historical into due from changes.joining; end if;
  insert into changes.pending (user_id, kind, object, action, historical, first_at, last_at, n, data, due_at)
  values (whose, of_kind, of_object, what, is_historical, from_time, until_time, values_written, details, due)
  on conflict (user_id, kind, object) do nothing;
  if not found then
    perform changes.join_pending(whose, of_kind, what, of_object, is_historical, details, from_time, until_time,
      values_written, due);
  end if;
end $$;

alter table timeseries.item drop column last_day, drop column first_day, drop column footprint, drop column received_at,
  drop column normaliser_version;
alter table timeseries.other_record drop column normaliser_version;
alter table timeseries.provider_day drop column normaliser_version;
alter table timeseries.sleep_session drop column normaliser_version;
alter table timeseries.workout drop column normaliser_version;
