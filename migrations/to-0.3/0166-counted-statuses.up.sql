-- How many connections of a user are in a state. A row is locked until its transaction ends, so that parallel changes of one
-- user's connections see each other. A row of none is deleted, so no row stays of a user without connections.
create table users.person_status (
  user_id uuid not null,
  status text not null,
  n int not null,
  primary key (user_id, status)
);

-- The number of users with a connection in a state, as changes that are added up and folded when they are many.
create table users.person_status_change (
  status text not null,
  n int not null
);

-- The states are taken in the order of their names: two updates in opposite directions do not lock each other out.
create function users.note_person_status() returns trigger language plpgsql as $$
declare
  change record;
  held int;
begin
  for change in
    select user_id, status, sum(step)::int as step from (
      select new.user_id, new.status, 1 as step where tg_op in ('INSERT', 'UPDATE')
      union all
      select old.user_id, old.status, -1 where tg_op in ('DELETE', 'UPDATE')
    ) both_rows group by user_id, status order by user_id, status
  loop
    insert into users.person_status as kept values (change.user_id, change.status, change.step)
    on conflict (user_id, status) do update set n = kept.n + excluded.n
    returning n into held;
    if held = 0 then
      delete from users.person_status where user_id = change.user_id and status = change.status;
      insert into users.person_status_change values (change.status, -1);
    elsif held = 1 and change.step = 1 then
      insert into users.person_status_change values (change.status, 1);
    end if;
  end loop;
  return null;
end $$;
create trigger note_person_status_insert after insert on users.connection
  for each row execute function users.note_person_status();
create trigger note_person_status_update after update on users.connection
  for each row when (old.status is distinct from new.status or old.user_id is distinct from new.user_id)
  execute function users.note_person_status();
create trigger note_person_status_delete after delete on users.connection
  for each row execute function users.note_person_status();

-- The triggers lock the table until the commit, so no connection is counted twice or missed.
insert into users.person_status select user_id, status, count(*) from users.connection group by user_id, status;
insert into users.person_status_change select status, count(*) from users.person_status group by status;
