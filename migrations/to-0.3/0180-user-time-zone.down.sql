create or replace function changes.of_user() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    perform changes.record(new.id, 'user', 'created', '', null, '{}');
  elsif new.deleted_at is not null and old.deleted_at is null then
    perform changes.record(new.id, 'user', 'deleted', '', null, '{}');
  elsif new.deleted_at is null and (new.first_name, new.last_name, new.email, new.external_user_id)
    is distinct from (old.first_name, old.last_name, old.email, old.external_user_id) then
    perform changes.record(new.id, 'user', 'updated', '', null, '{}');
  end if;
  return null;
end $$;

alter table users.person drop column time_zone;
