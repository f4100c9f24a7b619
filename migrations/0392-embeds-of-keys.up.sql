alter table auth.family
  add column api_key_id uuid,
  add constraint family_api_key_id_fkey foreign key (api_key_id) references auth.api_key(id) on delete cascade;
create index family_api_key on auth.family (api_key_id) where api_key_id is not null;
