create schema insights;

create table insights.position (
  last_id bigint not null
);
insert into insights.position (last_id) values (0);

create table insights.computed (
  user_id uuid primary key,
  methods text not null
);

create table insights.day (
  user_id uuid not null,
  date date not null,
  due_id bigint,
  facts jsonb,
  baseline_28 jsonb,
  baseline_60 jsonb,
  scores jsonb,
  training jsonb,
  constraint day_pkey primary key (user_id, date)
);
-- Planner statistics would copy values into a table of their own.
alter table insights.day
  alter column facts set statistics 0,
  alter column baseline_28 set statistics 0,
  alter column baseline_60 set statistics 0,
  alter column scores set statistics 0,
  alter column training set statistics 0;
create index day_due on insights.day (user_id, date) where due_id is not null;

create function insights.results_of(one insights.day) returns jsonb language sql immutable as $$
  select coalesce(one.scores, '{}') || coalesce(one.training, '{}') - 'workouts' - 'limits' || case
    when one.baseline_28 is null then '{}' else jsonb_build_object('baseline', jsonb_build_array(one.baseline_28, one.baseline_60)) end
$$;

create function changes.of_insight() returns trigger language plpgsql security definer
    set search_path to '' as $$
declare
  kept insights.day := case when tg_op = 'DELETE' then old else new end;
  former jsonb := case when tg_op = 'INSERT' then '{}' else insights.results_of(old) end;
  latter jsonb := case when tg_op = 'DELETE' then '{}' else insights.results_of(new) end;
  methods text[];
begin
  if former = latter or changes.is_erased(kept.user_id) then return null; end if;
  -- An event that waits names the methods of both changes.
  select array_agg(distinct name order by name) into methods from (
    select key as name from jsonb_each(former || latter) where former -> key is distinct from latter -> key
    union all
    select jsonb_array_elements_text(data -> 'methods') from changes.pending
    where user_id = kept.user_id and kind = 'insight' and object = kept.date::text and action is not null) changed;
  perform changes.record(kept.user_id, 'insight', 'updated', kept.date::text, kept.date + 1,
    jsonb_build_object('date', kept.date, 'methods', methods));
  return null;
end $$;
create trigger changes after insert or update or delete on insights.day
  for each row execute function changes.of_insight();
