alter table auth.api_key drop column former_ids;
drop table webhooks.deleted_key;
alter table webhooks.endpoint drop column api_key_id;
