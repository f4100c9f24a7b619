-- The secret with which a provider signs its notifications, encrypted. Null: it signs with another one, or not at all.
alter table pull.subscription add column secret text;
