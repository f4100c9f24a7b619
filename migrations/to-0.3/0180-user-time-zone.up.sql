-- The IANA name of a user's time zone. It dates data whose sender states no offset. A change of it is one of the user.
alter table users.person add column time_zone text;

create or replace function changes.of_user() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    perform changes.record(new.id, 'user', 'created', '', null, '{}');
  elsif new.deleted_at is not null and old.deleted_at is null then
    perform changes.record(new.id, 'user', 'deleted', '', null, '{}');
  elsif new.deleted_at is null and (new.first_name, new.last_name, new.email, new.external_user_id, new.time_zone)
    is distinct from (old.first_name, old.last_name, old.email, old.external_user_id, old.time_zone) then
    perform changes.record(new.id, 'user', 'updated', '', null, '{}');
  end if;
  return null;
end $$;
