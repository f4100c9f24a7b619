-- An id or an address has pieces of six letters that few users share. Each of its pieces of three is part of thousands
-- of ids, so that the lists that are intersected grow with the number of users.
create index person_long_grams on users.person using gin ((users.grams(search_text, 6))) where deleted_at is null;
