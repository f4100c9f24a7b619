alter table auth.family drop column api_key_id;
