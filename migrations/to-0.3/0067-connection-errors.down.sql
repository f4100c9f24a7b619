create or replace function changes.of_connection() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (new.status, new.connected_at) is not distinct from (old.status, old.connected_at) then return null; end if;
  if exists (select from users.person where id = new.user_id and deleted_at is not null) then return null; end if;
  perform changes.record(new.user_id, 'connection', case new.status when 'active' then 'created' else new.status end,
    new.id::text, null, jsonb_build_object('connection_id', new.id, 'provider', new.provider));
  return null;
end $$;
alter table users.connection drop column refresh_failing_since;
