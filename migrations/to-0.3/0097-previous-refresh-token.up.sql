-- The refresh token before the current one, as ciphertext. It is kept until the current access token has worked once:
-- a provider that has lost the new tokens still accepts it.
alter table users.connection add column previous_refresh_token text;

-- Processes of the previous version erase and replace tokens without knowing the column.
create function users.drop_previous_refresh_token() returns trigger language plpgsql as $$
begin
  new.previous_refresh_token := null;
  return new;
end $$;
create trigger drop_previous_refresh_token before update on users.connection for each row
  when (new.previous_refresh_token is not null
    and (new.refresh_token is null or new.provider_user_id is distinct from old.provider_user_id))
  execute function users.drop_previous_refresh_token();
