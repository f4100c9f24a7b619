drop trigger drop_previous_refresh_token on users.connection;
drop function users.drop_previous_refresh_token();
alter table users.connection drop column previous_refresh_token;
