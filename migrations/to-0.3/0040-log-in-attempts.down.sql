drop table auth.attempt_window;
