drop index users.connection_ended;
