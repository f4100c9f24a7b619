-- Work on a user's data reads the id before it asks whether the user's phone is connected, and locks the row in each
-- transaction that writes. Erasing the data deletes the row, so that work in progress writes nothing afterwards.
create table phone.fence (
  user_id uuid primary key,
  id uuid not null default gen_random_uuid()
);
