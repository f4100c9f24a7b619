alter table connect.attempt drop column provider_client_id;

-- The tokens of these connections would be sent to the client of the installation.
do $$ begin
  if exists (select from users.provider_client where client_secret is not null)
    or exists (select from users.connection where provider_client_id is not null and access_token is not null) then
    raise exception 'projects have credentials at providers, or connections that were made with some: remove both before this step is taken back';
  end if;
  if exists (
    select from jobs.job where kind = 'users.token_revocation' and dead_at is null
    and payload ->> 'provider_client_id' is not null) then
    raise exception 'access is being revoked with credentials of projects: wait for the end, at most a day, before this step is taken back';
  end if;
end $$;
alter table users.connection drop column provider_client_id;
drop table users.provider_client;
