drop index users.person_of_project;
drop table timeseries.retention_rule;
