alter table imports.import drop original_until;
