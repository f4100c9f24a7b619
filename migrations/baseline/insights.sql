-- What is computed from the data of local days. All of it follows from timeseries and can be computed anew.
create schema insights;

-- The users whose days are computed, with the versions of the methods. Whoever computes days of a user holds the row.
create table insights.computed (
  user_id uuid primary key,
  methods text not null,
  sources text not null default ''
);

-- The inputs of a local day and the results. `due_id`: the id of the last change that may concern the inputs, null once they were
-- read after it. A row without facts has no data; it is kept only while it is due.
create table insights.day (
  user_id uuid not null,
  date date not null,
  due_id bigint,
  facts jsonb,
  baseline_28 jsonb,
  baseline_60 jsonb,
  scores jsonb,
  training jsonb,
  primary key (user_id, date)
);
alter table insights.day
  alter column facts set statistics 0, alter column baseline_28 set statistics 0, alter column baseline_60 set statistics 0,
  alter column scores set statistics 0, alter column training set statistics 0;
create index day_due on insights.day (user_id, date) where due_id is not null;

-- How far the change log was read.
create table insights.position (
  last_id bigint not null
);

-- The results of a row by method. Both baselines are one.
create function insights.results_of(one insights.day) returns jsonb language sql immutable as $$
  select coalesce(one.scores, '{}') || coalesce(one.training, '{}') - 'workouts' - 'limits' || case
    when one.baseline_28 is null then '{}' else jsonb_build_object('baseline', jsonb_build_array(one.baseline_28, one.baseline_60)) end
$$;

insert into insights.position (last_id) values (0);

create trigger changes after insert or update or delete on insights.day for each row execute function changes.of_insight();
