drop table imports.member;
alter table imports.import drop members, drop members_damaged, drop members_unread;
