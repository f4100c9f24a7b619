alter table users.connection drop column moved_hash;
