-- When the owner of the account last changed what may be read, by the provider's clock: an older change that arrives
-- later does not count. Null until one was told.
alter table users.connection add column scope_changed_at timestamptz(3);
