-- Until when the original of an import that has ended is kept; null if it is not.
alter table imports.import add original_until timestamptz(3);
