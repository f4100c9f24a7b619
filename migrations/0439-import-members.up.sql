-- Where an import of an archive goes on: the number of the member that is read, behind those of the archives that it is in, and the
-- number of entries before it. An import of the version before has none, and is read from the beginning of its file.
alter table imports.import add member_path integer[] default '{}' not null, add member_position bigint default 0 not null;
