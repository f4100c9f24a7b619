drop schema phone cascade;
drop function changes.of_sync_type();
