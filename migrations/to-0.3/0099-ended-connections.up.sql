-- The list of users with an ended connection. Such connections are few beside active ones, which the index omits.
create index connection_ended on users.connection (status, provider, user_id) where status <> 'active';
