-- Each record names the version of the normaliser that made it; null if it was stored before versions existed.
alter table timeseries.workout add column normaliser_version smallint;
alter table timeseries.sleep_session add column normaliser_version smallint;
alter table timeseries.provider_day add column normaliser_version smallint;
alter table timeseries.other_record add column normaliser_version smallint;

-- The same of the samples of an item, and which samples it brought: their instants by series, encoded. The days bound
-- them, counted from 1970-01-01. `received_at` is the arrival of the delivery that brought the stored version.
alter table timeseries.item add column normaliser_version smallint, add column received_at timestamptz,
  add column footprint bytea, add column first_day smallint, add column last_day smallint;

-- A transaction that processes kept deliveries again announces its changes as historical, whatever the age of the data.
create or replace function changes.record(whose uuid, of_kind text, what text, of_object text, at timestamptz, details jsonb,
  from_time timestamptz default null, until_time timestamptz default null, values_written bigint default 0) returns void
language plpgsql as $$
declare
  is_historical boolean := coalesce(at < now() - interval '2 days', false)
    or coalesce(current_setting('changes.historical', true) = 'on', false);
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
