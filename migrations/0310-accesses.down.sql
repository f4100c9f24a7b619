drop function users.live_of(uuid[]);
drop table auth.access_writer;
drop table auth.access_total;
drop table auth.access;
