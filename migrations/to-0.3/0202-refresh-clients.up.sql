-- The client that used a refresh token: a hash of its network address, its user agent and the token. Null: not known.
alter table auth.refresh_token add column consumed_by text;
