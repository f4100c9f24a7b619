drop table users.held_delivery;
drop table users.access_quota;
drop table users.access_check;
