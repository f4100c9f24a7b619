drop table activitynet.fruitless_reads;
drop table activitynet.owner_reads;
drop index activitynet.activity_unauthenticated;
alter table activitynet.activity drop column prepaid, drop column authenticated, drop column unconfirmed;
