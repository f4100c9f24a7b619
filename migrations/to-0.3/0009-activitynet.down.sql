alter table users.connection drop column privacy, drop column privacy_changed_at;
drop schema activitynet cascade;
