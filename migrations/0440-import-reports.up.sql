-- What became of the members of an archive: a row for each of the first 1,000, and counts of all. `members` is the number of members of
-- the archive itself; null for a file that is none.
alter table imports.import
  add members integer,
  add members_damaged integer default 0 not null,
  add members_unread integer default 0 not null;

create table imports.member (
  import_id uuid not null references imports.import on delete cascade,
  path integer[] not null,
  name text not null,
  state text not null check (state in ('read', 'damaged', 'unread')),
  entries bigint not null,
  reason text,
  primary key (import_id, path)
);
