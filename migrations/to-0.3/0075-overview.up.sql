-- The number of connections by provider and status, as changes that are added up. Changes are only ever added, so that
-- connections made at the same time do not wait for each other; they are folded when they are many.
create table users.connection_change (
  provider text not null,
  status text not null,
  n int not null
);

create function users.note_connection_change() returns trigger language plpgsql as $$
begin
  if tg_op in ('INSERT', 'UPDATE') then
    insert into users.connection_change values (new.provider, new.status, 1);
  end if;
  if tg_op in ('DELETE', 'UPDATE') then
    insert into users.connection_change values (old.provider, old.status, -1);
  end if;
  return null;
end $$;
-- The condition keeps the frequent update of last_synced_at free of the function.
create trigger note_connection_insert after insert on users.connection
  for each row execute function users.note_connection_change();
create trigger note_connection_update after update on users.connection
  for each row when (old.status is distinct from new.status or old.provider is distinct from new.provider)
  execute function users.note_connection_change();
create trigger note_connection_delete after delete on users.connection
  for each row execute function users.note_connection_change();

-- The triggers lock the table until the commit, so no connection is counted twice or missed.
insert into users.connection_change select provider, status, count(*) from users.connection group by provider, status;

-- Dead letters are few; the index is empty for all other jobs.
create index job_dead on jobs.job (dead_at) where dead_at is not null;
