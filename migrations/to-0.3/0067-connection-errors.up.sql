-- Since when the tokens of a connection cannot be refreshed. Null after a success.
alter table users.connection add column refresh_failing_since timestamptz;

-- `created` also of an account that is connected again. `error` and `recovered` of an active one: its reason is its error.
create or replace function changes.of_connection() returns trigger language plpgsql as $$
declare
  what text := case new.status when 'active' then 'created' else new.status end;
  -- Errors are an object of their own, so that they are not joined with the states of the connection.
  of_object text := new.id::text;
begin
  if tg_op = 'UPDATE' and (new.status, new.connected_at) is not distinct from (old.status, old.connected_at) then
    if new.status <> 'active' or new.status_reason is not distinct from old.status_reason then return null; end if;
    of_object := new.id || ':error';
    what := case when new.status_reason is null then 'recovered' else 'error' end;
  end if;
  if exists (select from users.person where id = new.user_id and deleted_at is not null) then return null; end if;
  perform changes.record(new.user_id, 'connection', what, of_object, null,
    jsonb_build_object('connection_id', new.id, 'provider', new.provider)
      || case what when 'error' then jsonb_build_object('reason', new.status_reason) else '{}' end);
  return null;
end $$;
