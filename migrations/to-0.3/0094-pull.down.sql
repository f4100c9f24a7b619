drop schema pull cascade;
drop function changes.of_pulled_backfill;
drop function changes.of_pulled_backfill_type;
