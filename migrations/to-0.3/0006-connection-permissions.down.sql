alter table users.connection drop column scope_changed_at;
