drop table imports.import;
drop schema imports;
