alter table activitynet.activity drop column unlisted_version;
drop table activitynet.reconciliation;
