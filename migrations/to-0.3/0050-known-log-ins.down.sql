drop table auth.known_log_in;
