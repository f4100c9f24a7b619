drop table deliveries.answer_minute;
drop table timeseries.purge;
drop index users.connection_purge;
alter table users.connection drop column purge;
drop table users.farewell;
drop schema connect cascade;
