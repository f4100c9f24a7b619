-- The values of a local day that no series and no summary has, a row per item that contained some: stress, goals, resting
-- values. `vals` has the values by name, `extra` further fields by the provider's own names.
create table timeseries.day_value (
  id uuid primary key,
  user_id uuid not null,
  provider text not null,
  data_type text not null,
  key text not null,
  device text not null,
  date date not null,
  start_time timestamptz not null,
  duration_seconds int not null,
  -- Null if the provider sent none.
  zone_offset_minutes smallint,
  vals jsonb not null,
  extra jsonb,
  unique (user_id, provider, data_type, key)
);
create index day_value_by_date on timeseries.day_value (user_id, date);
create index day_value_by_start on timeseries.day_value (user_id, start_time, id);
-- Planner statistics would copy values into a table of their own.
alter table timeseries.day_value alter column key set statistics 0, alter column device set statistics 0,
  alter column duration_seconds set statistics 0, alter column vals set statistics 0, alter column extra set statistics 0;

-- A day is reported once, whichever of its rows changed.
create function changes.of_day_value() returns trigger language plpgsql as $$
declare
  day date;
  whose uuid := case when tg_op = 'DELETE' then old.user_id else new.user_id end;
  days date[];
begin
  if changes.is_erased(whose) then return null; end if;
  if tg_op = 'UPDATE' and new is not distinct from old then return null; end if;
  if tg_op <> 'INSERT' then days := days || old.date; end if;
  if tg_op <> 'DELETE' then days := days || new.date; end if;
  for day in select distinct d from unnest(days) d order by d loop
    perform changes.record(whose, 'day', 'updated', day::text, day + 1, jsonb_build_object('date', day));
  end loop;
  return null;
end $$;
create trigger changes after insert or update or delete on timeseries.day_value
  for each row execute function changes.of_day_value();
