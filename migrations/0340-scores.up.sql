create table timeseries.score (
  id uuid primary key,
  user_id uuid not null,
  provider text not null,
  data_type text not null,
  key text not null,
  kind text not null,
  device text not null,
  date date not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  zone_offset_minutes smallint,
  value float8,
  label text,
  components jsonb not null,
  normaliser_version smallint,
  constraint score_user_id_provider_data_type_key_kind_key unique (user_id, provider, data_type, key, kind)
);
-- Planner statistics would copy values into a table of their own.
alter table timeseries.score
  alter column key set statistics 0,
  alter column device set statistics 0,
  alter column value set statistics 0,
  alter column label set statistics 0,
  alter column components set statistics 0;
create index score_by_date on timeseries.score (user_id, date);
create index score_by_start on timeseries.score (user_id, start_time, id);

create function timeseries.item_after_delete() returns trigger language plpgsql set search_path to '' as $$
begin
  delete from timeseries.score s using gone g
  where s.user_id = g.user_id and s.provider = g.provider and s.data_type = g.data_type and s.key = g.key;
  return null;
end $$;
create trigger item_after_delete after delete on timeseries.item
  referencing old table as gone
  for each statement
  execute function timeseries.item_after_delete();

create function timeseries.score_of_sleep(score integer, details jsonb)
  returns table (value float8, label text, components jsonb) language sql immutable as $$
  select $1::float8, $2 ->> 'score_qualifier', (
    select coalesce(jsonb_object_agg(part ->> 'name', coalesce(nullif(part -> 'value', 'null'), part -> 'qualifier')), '{}')
    from jsonb_array_elements(coalesce($2 -> 'score_parts', '[]')) part)
  where $1 is not null or $2 ->> 'score_qualifier' is not null or $2 -> 'score_parts' <> '[]'
$$;

create function timeseries.scores_of_day(vals jsonb)
  returns table (kind text, value float8, label text, components jsonb) language sql immutable as $$
  select k.kind, ($1 ->> k.value)::float8, $1 ->> k.label,
    (select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each($1) e where e.key = any(k.parts))
  from (values
    ('stress', 'average_stress_level', 'stress_qualifier', array['max_stress_level', 'stress_seconds', 'rest_stress_seconds',
      'activity_stress_seconds', 'low_stress_seconds', 'medium_stress_seconds', 'high_stress_seconds']),
    ('body_battery', null, null, array['body_battery_charged', 'body_battery_drained'])
  ) k (kind, value, label, parts)
  where $1 ?| (array[k.value, k.label] || k.parts)
$$;

create function timeseries.day_score_id(day_value_id uuid, kind text) returns uuid language sql immutable as $$
  select overlay(overlay(md5($1::text || $2) placing '5' from 13) placing '8' from 17)::uuid
$$;

create function changes.record_score(whose uuid, what text, score_id uuid, of_kind text, of_provider text, of_device text, day date, from_time timestamptz, until_time timestamptz) returns void language plpgsql as $$
begin
  perform changes.record(whose, 'score', what, score_id::text, greatest(until_time, day + 1),
    jsonb_build_object('id', score_id, 'kind', of_kind, 'provider', of_provider, 'device', of_device, 'date', day),
    from_time, until_time);
end $$;

create function changes.of_score() returns trigger language plpgsql security definer
    set search_path to '' as $$
declare
  kept timeseries.score := case when tg_op = 'DELETE' then old else new end;
begin
  if changes.is_erased(kept.user_id) then return null; end if;
  if tg_op = 'UPDATE'
    and (new.device, new.date, new.start_time, new.end_time, new.zone_offset_minutes, new.value, new.label, new.components)
    is not distinct from
      (old.device, old.date, old.start_time, old.end_time, old.zone_offset_minutes, old.value, old.label, old.components)
  then return null; end if;
  perform changes.record_score(kept.user_id, case tg_op when 'DELETE' then 'deleted' else 'updated' end, kept.id, kept.kind,
    kept.provider, kept.device, kept.date, kept.start_time, kept.end_time);
  return null;
end $$;
create trigger changes after insert or update or delete on timeseries.score
  for each row execute function changes.of_score();

create function changes.of_sleep_score() returns trigger language plpgsql security definer
    set search_path to '' as $$
declare
  kept timeseries.sleep_session := case when tg_op = 'DELETE' then old else new end;
  before jsonb;
  after jsonb;
begin
  if changes.is_erased(kept.user_id) then return null; end if;
  if tg_op <> 'INSERT' then
    select jsonb_build_array(old.device, old.date, old.start_time, old.end_time, old.zone_offset_minutes, old.zone_reported,
      s.value, s.label, s.components)
    into before from timeseries.score_of_sleep(old.score, old.details) s;
  end if;
  if tg_op <> 'DELETE' then
    select jsonb_build_array(new.device, new.date, new.start_time, new.end_time, new.zone_offset_minutes, new.zone_reported,
      s.value, s.label, s.components)
    into after from timeseries.score_of_sleep(new.score, new.details) s;
  end if;
  if after is not distinct from before then return null; end if;
  perform changes.record_score(kept.user_id, case when after is null then 'deleted' else 'updated' end, kept.id, 'sleep',
    kept.provider, kept.device, kept.date, kept.start_time, kept.end_time);
  return null;
end $$;
create trigger changes_score after insert or update or delete on timeseries.sleep_session
  for each row execute function changes.of_sleep_score();

create function changes.of_day_scores() returns trigger language plpgsql security definer
    set search_path to '' as $$
declare
  kept timeseries.day_value := case when tg_op = 'DELETE' then old else new end;
  before jsonb := '{}';
  after jsonb := '{}';
  of_kind text;
begin
  if changes.is_erased(kept.user_id) then return null; end if;
  if tg_op <> 'INSERT' then
    select coalesce(jsonb_object_agg(s.kind, jsonb_build_array(old.device, old.date, old.start_time, old.duration_seconds,
      old.zone_offset_minutes, s.value, s.label, s.components)), '{}')
    into before from timeseries.scores_of_day(old.vals) s;
  end if;
  if tg_op <> 'DELETE' then
    select coalesce(jsonb_object_agg(s.kind, jsonb_build_array(new.device, new.date, new.start_time, new.duration_seconds,
      new.zone_offset_minutes, s.value, s.label, s.components)), '{}')
    into after from timeseries.scores_of_day(new.vals) s;
  end if;
  for of_kind in select k from jsonb_object_keys(before || after) k where before -> k is distinct from after -> k order by k loop
    perform changes.record_score(kept.user_id, case when after ? of_kind then 'updated' else 'deleted' end,
      timeseries.day_score_id(kept.id, of_kind), of_kind, kept.provider, kept.device, kept.date, kept.start_time,
      kept.start_time + make_interval(secs => kept.duration_seconds));
  end loop;
  return null;
end $$;
create trigger changes_scores after insert or update or delete on timeseries.day_value
  for each row execute function changes.of_day_scores();
