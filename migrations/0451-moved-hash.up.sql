-- The SHA-256 of what the other installation had of a moved connection at the last move, which tells whether it has changed there since.
alter table users.connection add column moved_hash bytea;
