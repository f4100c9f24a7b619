-- A job deletes the messages of a deleted endpoint in batches: a cascade over millions exceeds the time of a statement.
alter table webhooks.message drop constraint message_endpoint_id_fkey;
