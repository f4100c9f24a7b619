alter table phone.sync_type drop column shares, drop column ends;
