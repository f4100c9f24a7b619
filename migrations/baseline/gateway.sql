create schema gateway;

-- What a request with an Idempotency-Key was answered, kept for a day. A row without a status is a request in work,
-- or one of which nobody will ever know: its process ended in the middle. `request` (a hash of what was asked) and
-- `answer` are ciphertext bound to the row: answers hold secrets that are shown once, requests hold passwords.
create table gateway.idempotent_answer (
  caller text not null,
  route text not null,
  key_hash bytea not null,
  request text not null,
  status smallint,
  answer text,
  user_id uuid,
  created_at timestamptz default now() not null,
  primary key (caller, route, key_hash)
);
alter table gateway.idempotent_answer alter column request set statistics 0, alter column answer set statistics 0;
create index idempotent_answer_created on gateway.idempotent_answer (created_at);
create index idempotent_answer_user on gateway.idempotent_answer (user_id) where user_id is not null;
