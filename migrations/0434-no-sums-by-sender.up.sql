-- Stored bytes are no longer counted by sender. `sender` remains for uploads, which are found by their user.
drop table deliveries.stored;
alter table deliveries.delivery drop column received_bytes;
create index if not exists delivery_sender on deliveries.delivery (sender) where sender is not null;
