alter table webhooks.message
  add constraint message_endpoint_id_fkey foreign key (endpoint_id) references webhooks.endpoint on delete cascade not valid;
delete from webhooks.message m where not exists (select from webhooks.endpoint e where e.id = m.endpoint_id);
alter table webhooks.message validate constraint message_endpoint_id_fkey;
