alter table connect.attempt drop column region;

-- The tokens of these connections would be sent to the addresses of another region.
do $$ begin
  if exists (select from users.connection where region is not null and access_token is not null)
    or exists (select from jobs.job where kind = 'users.token_revocation' and dead_at is null and payload ->> 'region' is not null) then
    raise exception 'connections have tokens of a region: end them before this step is taken back';
  end if;
end $$;
alter table users.connection drop column region;
