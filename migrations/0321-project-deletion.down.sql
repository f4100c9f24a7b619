alter table auth.project drop column deleting_users;

-- The credentials of these projects would be accepted again.
do $$ begin
  if exists (select from auth.project where deleting_at is not null) then
    raise exception 'projects are being deleted: wait for the end before this step is taken back';
  end if;
end $$;
alter table auth.project drop column deleting_at;
