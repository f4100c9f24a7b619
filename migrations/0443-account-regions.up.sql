-- The region of an account at a provider that keeps accounts of its regions apart. Its tokens are sent to the addresses of that region only.
alter table users.connection add column region text;

alter table connect.attempt add column region text;
